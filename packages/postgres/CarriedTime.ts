/** The time of another clock, carried on by one that only counts: measured again and again, and never set back. */

/** The other clock was read between two readings of the counter. */
export interface Measurement {
  readonly toldMillis: number
  readonly askedAt: number
  readonly answeredAt: number
}

export interface CarriedTime {
  /** Unix milliseconds with a fraction. The counter never goes back. */
  readonly at: (counterMillis: number) => number
  /** Answers by how much the time was wrong; less than zero is ahead. */
  readonly correct: (measured: Measurement, counterMillis: number) => number
}

/** What is ahead goes at this rate until the other clock has caught up: it never stands, so nothing waits for ever. */
const slow = 0.5

export const make = ({ answeredAt, askedAt, toldMillis }: Measurement): CarriedTime => {
  /** The other clock is believed to be ahead of the counter by this. */
  let offset = toldMillis - (askedAt + answeredAt) / 2
  /** What was told stood before it by this much when the counter was there. */
  let aheadMillis = 0
  let aheadAt = askedAt

  const at = (counterMillis: number): number =>
    counterMillis + offset + Math.max(0, aheadMillis - (counterMillis - aheadAt) * slow)

  return {
    at,
    correct: (measured, counterMillis) => {
      const told = at(counterMillis)
      // A measurement proves no more than that the offset is between these, and a slow one proves little.
      const least = measured.toldMillis - measured.answeredAt
      const most = measured.toldMillis - measured.askedAt
      offset = Math.min(Math.max(offset, least), most)
      aheadMillis = Math.max(0, told - counterMillis - offset)
      aheadAt = counterMillis
      return counterMillis + offset - told
    }
  }
}
