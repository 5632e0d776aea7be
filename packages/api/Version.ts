/** Versions of the wire. */

/** Version of the REST interfaces, as their documents state it. */
export const version = "0.1.0"

/** Version of the specification that both sockets implement. */
export const socketVersion = "v0.0.10"
