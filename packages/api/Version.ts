/** Versions of the wire interfaces. */

/** Version of the REST interfaces, stated in their documents. */
export const version = "0.1.0"

/** Version of the specification that both sockets implement. */
export const socketVersion = "v0.0.10"
