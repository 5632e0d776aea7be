/** Ctrl-C asks a run of many minutes to come to its end; the second time it ends at once. */

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
