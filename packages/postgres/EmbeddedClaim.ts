/** Application name of the session with which the venue reserves its embedded database server. */
export const embeddedClaim = "venue-claim"
