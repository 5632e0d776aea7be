/** The version of the wire, as every description of a part of it says. */
export const version = "0.1.0"
