/** The mark price, and the average premium that it includes (rule 3.3). Prices in 1e-8 USD. */
import * as ExponentialAverage from "./ExponentialAverage.ts"

/** Best bid, best ask and last trade; undefined for an empty side and before the first trade. */
export interface Touch {
  readonly bidE8: number | undefined
  readonly askE8: number | undefined
  readonly lastE8: number | undefined
}

/** Returns the mark: the median of external price, external price plus average premium, and book price (rule 3.3). */
export const mark = (oracleE8: number, premiumE8: number, touch: Touch): number =>
  median(oracleE8, oracleE8 + premiumE8, bookTerm(oracleE8, touch))

/** Returns the mid price, or undefined if a side is empty. Exact, because every tick is an even count of 1e-8. */
export const mid = ({ askE8, bidE8 }: Touch): number | undefined =>
  bidE8 === undefined || askE8 === undefined ? undefined : (bidE8 + askE8) / 2

/**
 * Returns the 150-second average of the premium after one more sample. Counts at most `longestStepMillis` of the
 * elapsed time: during a longer gap, nothing changed or there was no mid price.
 */
export const premiumAfter = (premiumE8: number, sampleE8: number, elapsedMillis: number): number =>
  ExponentialAverage.step(premiumE8, sampleE8, Math.min(elapsedMillis, longestStepMillis), windowMillis)

/** Maximum averaging step in milliseconds. Samples arrive at least every second, so one late sample counts in full. */
export const longestStepMillis = 2_000

const windowMillis = 150_000

function bookTerm(oracleE8: number, { askE8, bidE8, lastE8 }: Touch): number {
  if (lastE8 === undefined) return oracleE8
  return bidE8 === undefined || askE8 === undefined ? lastE8 : median(bidE8, askE8, lastE8)
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}
