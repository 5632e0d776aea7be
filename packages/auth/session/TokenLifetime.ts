/** Lifetime of an access token in seconds; the key that signed the token must be kept for as long. */
export const tokenLifetimeSeconds = 3600
