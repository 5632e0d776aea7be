/** Command lines of tools. */

/** Returns the result, or the message of the error that was thrown. */
export const orMessage = <A>(read: () => A): A | string => {
  try {
    return read()
  } catch (error) {
    return (error as Error).message
  }
}
