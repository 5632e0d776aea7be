/** Handling of Ctrl-C in a long run: the first Ctrl-C stops the run gracefully, and the second exits at once. */

/** Returns whether the run was interrupted. */
export const make = (say: (text: string) => void): (() => boolean) => {
  let isOver = false
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (isOver) process.exit(130)
      say("stopping")
      isOver = true
    })
  }
  return () => isOver
}
