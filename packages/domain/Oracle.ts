/** The price of the underlier as the venue takes it from outside, and what stands in for it (rule 3). In 1e-8 USD. */
import { mulDivDown, mulDivUp } from "./Decimal.ts"
import * as ExponentialAverage from "./ExponentialAverage.ts"
import type { Instrument } from "./Instrument.ts"
import type { Priced } from "./Market.ts"
import { isLive } from "./MarketHours.ts"

/** Both ends are allowed. */
export interface Range {
  readonly lowerE8: number
  readonly upperE8: number
}

/** Gives what a new outside price is believed in, half to one and a half of the last (rule 3.1). */
export const believable = (lastE8: number): Range => ({
  lowerE8: Math.ceil(lastE8 / 2),
  upperE8: Math.floor((3 * lastE8) / 2)
})

/** So many prices in a row that are not believed mean that somebody has to look (rule 3.1). */
export const alarmingRejections = 3

/** No outside price may be higher: ten million USD. */
export const highestE8 = 1_000_000_000_000_000

/**
 * Gives the highest price that may be told while so many lots are held long: beyond it they would be worth more than
 * 4.5 billion USD, half of what can be counted exactly, and the mark may stand above the price (rule 3.2).
 */
export const mostE8 = ({ lotE8 }: Instrument, openInterestLots: number): number =>
  openInterestLots === 0 ? highestE8 : Math.min(highestE8, Number(mostValue / BigInt(openInterestLots * lotE8)))

/** In 1e-16 USD. */
const mostValue = 45n * 10n ** 24n

/** What a price was told as, and when. */
export type Told = Pick<Priced, "source" | "toldAtMillis">

/**
 * Gives what the price is at a later time, if none is told until then. The operator's word stays. Inside hours any other
 * is stale a minute after it was told, and outside them the book makes it (rule 3.4, rule 3.5, rule 3.6).
 */
export const sourceAt = (instrument: Instrument, told: Told, atMillis: number): Priced["source"] => {
  if (told.source === "operator") return "operator"
  if (!isLive(instrument, atMillis)) return "internal"
  return atMillis - told.toldAtMillis < staleAfterMillis ? "external" : "stale"
}

/**
 * Says whether a price may trigger anything and open positions (I29). It is asked with each order, so it looks at the
 * hours only where they matter; what is recorded as internal is so until that is recorded otherwise.
 */
export const isFresh = (instrument: Instrument, told: Told, atMillis: number): boolean => {
  if (told.source !== "external") return told.source !== "stale"
  return atMillis - told.toldAtMillis < staleAfterMillis || !isLive(instrument, atMillis)
}

/** Gives prices of before their sources were told apart: what was in force had been told from outside, at that time. */
export const ofFirstShape = (
  prices: Omit<
    Priced,
    | "source"
    | "toldE8"
    | "toldAtMillis"
    | "rejections"
    | "paused"
    | "freshMarkE8"
    | "bidTicks"
    | "askTicks"
    | "openInterestLots"
  >
): Priced => ({
  ...prices,
  freshMarkE8: prices.markE8,
  source: "external",
  toldE8: prices.oracleE8,
  toldAtMillis: prices.atMillis,
  rejections: 0,
  paused: false,
  bidTicks: 0,
  askTicks: 0,
  openInterestLots: 0
})

/** Gives the median of several sources, of an even number the mean of the middle two, rounded down (rule 3.7). */
export const median = (pricesE8: ReadonlyArray<number>): number | undefined => {
  const sorted = pricesE8.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]
  return lower === undefined || upper === undefined ? undefined : lower + Math.floor((upper - lower) / 2)
}

/** Gives how far the price may drift from the last outside price: by one part in the most leverage (rule 3.4). */
export const reach = (outsideE8: number, maxLeverage: number): Range => ({
  lowerE8: mulDivUp(outsideE8, maxLeverage - 1, maxLeverage),
  upperE8: mulDivDown(outsideE8, maxLeverage + 1, maxLeverage)
})

/**
 * Gives the price without an outside one a step later: it goes towards the middle of the book, which counts within the
 * band, and stays within reach of the last outside price (rule 3.4).
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
