/** Application name of the session that the venue holds on its embedded database server. */
export const embeddedClaim = "venue-claim"
