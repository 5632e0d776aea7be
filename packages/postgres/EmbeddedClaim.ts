/** The server that comes with the venue is held by a session of this name for as long as it runs. */
export const embeddedClaim = "venue-claim"
