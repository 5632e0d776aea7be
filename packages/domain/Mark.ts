/** The mark price and the average of the premium it leans on (rule 3.3). All prices in 1e-8 USD. */

/** The mark is made of these; a side without orders and a market without a trade have none. */
export interface Touch {
  readonly bid: number | undefined
  readonly ask: number | undefined
  readonly last: number | undefined
}

/** The mark is the median of the outside price, the outside price with its average premium, and what the book says. */
export const mark = (oracle: number, premium: number, touch: Touch): number =>
  median(oracle, oracle + premium, bookTerm(oracle, touch))

/** The middle is half way between the best prices, exactly, since every tick is an even count of 1e-8. */
export const mid = ({ ask, bid }: Touch): number | undefined =>
  bid === undefined || ask === undefined ? undefined : (bid + ask) / 2

/**
 * Gives the 150-second average one step later. The step's weight is rounded to 1e-12, so that every machine agrees.
 * Time beyond `longestStepMillis` does not count, since the average stood still then: nothing moved, or there was no
 * middle.
 */
export const premiumAfter = (premium: number, sample: number, elapsedMillis: number): number => {
  const counted = Math.min(elapsedMillis, longestStepMillis)
  const weight = Math.round(-Math.expm1(-counted / windowMillis) * weightScale)
  return premium + Math.round((weight * (sample - premium)) / weightScale)
}

/** Samples come at least once a second; this leaves room for one late one. */
export const longestStepMillis = 2_000

const windowMillis = 150_000
const weightScale = 1_000_000_000_000

function bookTerm(oracle: number, { ask, bid, last }: Touch): number {
  if (last === undefined) return oracle
  return bid === undefined || ask === undefined ? last : median(bid, ask, last)
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}
