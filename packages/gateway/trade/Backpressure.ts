/**
 * The answers a gateway owes all its connections together. While they are many, no connection may be owed more than its
 * share; one that is owed less is read as ever, so nobody waits for another's answers.
 */
export interface Backpressure {
  /** A connection is owed so much more, or less. */
  readonly change: (by: number) => void
  /** A connection has signed in; before that it is owed nothing. */
  readonly join: () => void
  readonly leave: () => void
  /** What one connection may be owed now before its frames wait; at least one. */
  readonly most: () => number
}

/** What one connection is owed in all. */
export interface Outstanding {
  weight: number
}

/** Of one connection. */
const mostOutstanding = 256
/**
 * Of all. What is owed stays below about twice this, or one for each connection where they are more. Some flushes of the
 * journal fit in, so that a venue at its limit is never short of work.
 */
const mostOutstandingInAll = 8_192

/** What a text that waits counts for: one, and one more for each KiB, so that long frames are bounded as short ones are. */
export const weightOf = (text: string): number => 1 + Math.floor(text.length / 1024)

export const make = (): Backpressure => {
  let owed = 0
  let connections = 0
  return {
    change: (by) => {
      owed += by
    },
    join: () => {
      connections += 1
    },
    leave: () => {
      connections -= 1
    },
    most: () =>
      owed < mostOutstandingInAll
        ? mostOutstanding
        : Math.max(1, Math.min(mostOutstanding, Math.floor(mostOutstandingInAll / connections)))
  }
}
