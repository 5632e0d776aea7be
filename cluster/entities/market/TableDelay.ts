/** Delay of a market's tables: the time since which a group lacks a committed row. */

export interface TableDelay {
  /** Called when a row is committed. */
  readonly committed: (seq: number) => void
  /** Called when these groups contain all rows up to `seq`. */
  readonly written: (groups: ReadonlyArray<string>, seq: number) => void
  /** Returns the delay of each group in milliseconds; 0 for a complete group. */
  readonly all: () => ReadonlyArray<readonly [group: string, millis: number]>
}

/** Row for which a group waits. Only one row at a time is timed, so the delay is exact to one write. */
interface Mark {
  readonly seq: number
  readonly atMillis: number
}

export const make = (groups: ReadonlyArray<string>, nowMillis: () => number): TableDelay => {
  let newest: Mark | undefined
  const written = new Map(groups.map((group) => [group, 0]))
  const marks = new Map<string, Mark>()
  const mark = (group: string, next: Mark) => {
    if (!marks.has(group) && next.seq > written.get(group)!) marks.set(group, next)
  }
  return {
    committed: (seq) => {
      const next = { seq, atMillis: nowMillis() }
      newest = next
      for (const group of groups) mark(group, next)
    },
    written: (done, seq) => {
      for (const group of done) {
        written.set(group, seq)
        if ((marks.get(group)?.seq ?? Infinity) > seq) continue
        marks.delete(group)
        if (newest !== undefined) mark(group, newest)
      }
    },
    all: () =>
      groups.map((group) => {
        const waiting = marks.get(group)
        return [group, waiting === undefined ? 0 : nowMillis() - waiting.atMillis]
      })
  }
}
