/** How long an access token is good, and how long the key that signed it must be known. */
export const tokenLifetimeSeconds = 3600
