/** The oracle price: the underlier's external price, or its substitute (rule 3). Prices in 1e-8 USD. */
import { mulDivDown, mulDivUp } from "./Decimal.ts"
import * as ExponentialAverage from "./ExponentialAverage.ts"
import type { Instrument } from "./Instrument.ts"
import type { Priced } from "./Market.ts"
import { isLive } from "./MarketHours.ts"

/** A price range that includes both ends. */
export interface Range {
  readonly lowerE8: number
  readonly upperE8: number
}

/** Returns the range in which the filter accepts the next external price: 0.5 to 1.5 times the last one (rule 3.1). */
export const believable = (lastE8: number): Range => ({
  lowerE8: Math.ceil(lastE8 / 2),
  upperE8: Math.floor((3 * lastE8) / 2)
})

/** Number of consecutive rejected prices that raises an alarm (rule 3.1). */
export const alarmingRejections = 3

/** Maximum external price: 10 million USD (rule 3.2). */
export const highestE8 = 1_000_000_000_000_000

/**
 * Returns the highest external price accepted at this open interest: the price at which the open interest would be
 * worth 4.5 billion USD. This is half of the largest exact amount, because the mark can be above the external price
 * (rule 3.2).
 */
export const highestTradableE8 = ({ lotE8 }: Instrument, openInterestLots: number): number =>
  openInterestLots === 0 ? highestE8 : Math.min(highestE8, Number(maxValue / BigInt(openInterestLots * lotE8)))

/** 4.5 billion USD, in 1e-16 USD. */
const maxValue = 45n * 10n ** 24n

/** An accepted external price: its origin and its time. */
export type PriceReport = Pick<Priced, "source" | "toldAtMillis">

/**
 * Returns the source of the price at a later time if no newer price arrives. An operator's price remains valid. Any
 * other price goes stale after 60 s inside market hours, and follows the book outside them (rule 3.4, rule 3.5, rule
 * 3.6).
 */
export const sourceAt = (instrument: Instrument, report: PriceReport, atMillis: number): Priced["source"] => {
  if (report.source === "operator") return "operator"
  if (!isLive(instrument, atMillis)) return "internal"
  return atMillis - report.toldAtMillis < staleAfterMillis ? "external" : "stale"
}

/**
 * Returns true if the price is allowed to trigger stops and open positions (I29). Runs for each order, so it
 * evaluates the hours only if the price is over 60 s old. A price recorded as `internal` is fresh until the next
 * record.
 */
export const isFresh = (instrument: Instrument, report: PriceReport, atMillis: number): boolean => {
  if (report.source !== "external") return report.source !== "stale"
  return atMillis - report.toldAtMillis < staleAfterMillis || !isLive(instrument, atMillis)
}

/** Returns the median of several sources; for an even number the mean of the middle two, rounded down (rule 3.7). */
export const median = (pricesE8: ReadonlyArray<number>): number | undefined => {
  const sorted = pricesE8.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]
  return lower === undefined || upper === undefined ? undefined : lower + Math.floor((upper - lower) / 2)
}

/**
 * Returns the range within which the price can drift around the last external price: `price x (1 ± 1/maxLeverage)`,
 * rounded inwards (rule 3.4).
 */
export const reach = (outsideE8: number, maxLeverage: number): Range => ({
  lowerE8: mulDivUp(outsideE8, maxLeverage - 1, maxLeverage),
  upperE8: mulDivDown(outsideE8, maxLeverage + 1, maxLeverage)
})

/**
 * Returns the price after one more step while no external price exists. The price moves towards the mid price,
 * clamped to the band, and stays within reach of the last external price (rule 3.4).
 */
export const drifted = (
  oracleE8: number,
  midE8: number,
  elapsedMillis: number,
  band: Range,
  withinReach: Range
): number => clamped(ExponentialAverage.step(oracleE8, clamped(midE8, band), elapsedMillis, driftMillis), withinReach)

const staleAfterMillis = 60_000
const driftMillis = 3_600_000

function clamped(priceE8: number, { lowerE8, upperE8 }: Range): number {
  return Math.max(lowerE8, Math.min(upperE8, priceE8))
}
