/** The version of the wire, as every description of a part of it says. */
export const version = "0.1.0"

/** The label of the specification whose messages both sockets keep. */
export const socketVersion = "v0.0.10"
