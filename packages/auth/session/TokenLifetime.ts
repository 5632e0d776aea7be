/** Lifetime of an access token; also how long the key that signed it must stay known. */
export const tokenLifetimeSeconds = 3600
