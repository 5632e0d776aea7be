/** How far the mark of a symbol moved in 24 hours, from one sample a minute. */
import type { Ratio } from "@venue/domain/Split"

interface Sample {
  readonly minute: number
  readonly mark: number
}

/** Oldest first; the first one may be older than the window, for it was in force when the window began. */
export type Samples = ReadonlyArray<Sample>

export const empty: Samples = []

/** The first mark of a minute is that minute's sample. Holds a day of minutes and no more. */
export const sampled = (samples: Samples, mark: number, atMillis: number): Samples => {
  const minute = Math.floor(atMillis / minuteMillis)
  if (samples.length > 0 && samples.at(-1)!.minute >= minute) return samples
  const next = [...samples, { minute, mark }]
  const start = next.findLastIndex((sample) => sample.minute <= minute - dayMinutes)
  return start > 0 ? next.slice(start) : next
}

/** All marks as they would have been in the units of after a split. */
export const split = (samples: Samples, { denominator, numerator }: Ratio): Samples =>
  samples.map(({ mark, minute }) => ({ minute, mark: (mark * denominator) / numerator }))

/** In percent; 0 while nothing is known of a day ago. */
export const changePercent = (samples: Samples, mark: number, nowMillis: number): number => {
  const since = Math.floor(nowMillis / minuteMillis) - dayMinutes
  const before = samples.findLast(({ minute }) => minute <= since)
  return before === undefined || before.mark === 0 ? 0 : ((mark - before.mark) / before.mark) * 100
}

const minuteMillis = 60_000
const dayMinutes = 24 * 60
