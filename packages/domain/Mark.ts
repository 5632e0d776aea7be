/** The mark price and the average of the premium it leans on (rule 3.3). All prices in 1e-8 USD. */
import * as ExponentialAverage from "./ExponentialAverage.ts"

/** The mark is made of these; a side without orders and a market without a trade have none. */
export interface Touch {
  readonly bidE8: number | undefined
  readonly askE8: number | undefined
  readonly lastE8: number | undefined
}

/** The mark is the median of the outside price, the outside price with its average premium, and what the book says. */
export const mark = (oracleE8: number, premiumE8: number, touch: Touch): number =>
  median(oracleE8, oracleE8 + premiumE8, bookTerm(oracleE8, touch))

/** The middle is half way between the best prices, exactly, since every tick is an even count of 1e-8. */
export const mid = ({ askE8, bidE8 }: Touch): number | undefined =>
  bidE8 === undefined || askE8 === undefined ? undefined : (bidE8 + askE8) / 2

/**
 * Gives the 150-second average one step later. Time beyond `longestStepMillis` does not count, since the average stood
 * still then: nothing moved, or there was no middle.
 */
export const premiumAfter = (premiumE8: number, sampleE8: number, elapsedMillis: number): number =>
  ExponentialAverage.step(premiumE8, sampleE8, Math.min(elapsedMillis, longestStepMillis), windowMillis)

/** Samples come at least once a second; this leaves room for one late one. */
export const longestStepMillis = 2_000

const windowMillis = 150_000

function bookTerm(oracleE8: number, { askE8, bidE8, lastE8 }: Touch): number {
  if (lastE8 === undefined) return oracleE8
  return bidE8 === undefined || askE8 === undefined ? lastE8 : median(bidE8, askE8, lastE8)
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}
