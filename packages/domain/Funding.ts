/**
 * Funding: hourly payments between longs and shorts, which keep the book close to the external price (rule 10).
 * Market and trader use the same function, so both book the same amounts.
 */
import { Schema } from "effect"
import { mulDivDown } from "./Decimal.ts"
import type { Instrument } from "./Instrument.ts"
import { fund, type Position } from "./Position.ts"
import type { Side } from "./Order.ts"

/** Funding interval in milliseconds; payments are due at whole hours of UTC. */
export const hourMillis = 3_600_000

/** Sampling interval of premiums in milliseconds; samples are taken at its multiples. */
export const sampleMillis = 5_000

/** Samples of the current hour; `weighted` is the sum of `i` times the i-th premium (rule 10.4). */
export const Samples = Schema.Struct({ count: Schema.Number, weighted: Schema.Number })
export type Samples = typeof Samples.Type

export const noSamples: Samples = { count: 0, weighted: 0 }

/**
 * From `atMillis`, a multiple of 5 s, until the next `Sampled`, every premium sample has this value. Recorded only
 * when the premium changes (rule 10.3).
 */
export interface Sampled {
  readonly _tag: "Sampled"
  /**
   * Signed, in 1e-10 of the external price; null while trading is stopped, the underlier's market is closed, or the
   * price is stale.
   */
  readonly premiumE10: number | null
  readonly atMillis: number
}

/**
 * An hour ended, and its positions pay each other (rule 10). Applies to every position in the market: each market and
 * trader with a position calls `Funding.book` at this point in the log.
 */
export interface Funded {
  readonly _tag: "Funded"
  /** Rate in 1e-12 of the position value at the mark; longs pay if it is positive. */
  readonly rateE12: number
  readonly markE8: number
  /** Total that rounding left over from all payments, in 1e-6 USD, which goes to the market's reserve fund. */
  readonly remainder: number
  /** Start of the hour, or of the first of several missed hours. */
  readonly fromMillis: number
  /** True if the hour's end was processed too late or at a stale price: no payments, and the rate is 0 (rule 10.6). */
  readonly skipped: boolean
  /** End of the hour, a whole hour of UTC. */
  readonly atMillis: number
}

/**
 * Returns the average price in 1e-8 USD at which the resting orders of a side, best level first, fill the impact
 * notional (rule 10.1). Bids are rounded down and asks up, towards a smaller premium. Returns undefined if the side is
 * too thin.
 */
export const impactPriceE8 = (
  instrument: Instrument,
  side: Side,
  levels: Iterable<{ readonly priceTicks: number; readonly quantityLots: number }>
): number | undefined => {
  const notional = impactNotional(instrument)
  const money = BigInt(instrument.tickLotMicros)
  let lots = 0n
  let left = notional
  for (const { priceTicks, quantityLots } of levels) {
    const price = BigInt(priceTicks)
    const value = price * BigInt(quantityLots) * money
    if (value < left) {
      lots += BigInt(quantityLots)
      left -= value
      continue
    }
    // Average price = notional / lots, where lots = whole levels + left / (price * money) of this level.
    const above = notional * price * BigInt(instrument.tickE8)
    const below = lots * price * money + left
    return Number(side === "BUY" ? above / below : (above + below - 1n) / below)
  }
  return undefined
}

/**
 * Returns the book's premium over the external price, in 1e-10 of the external price, rounded towards zero (rule
 * 10.2). A side without an impact price contributes 0; each side is capped at 100 % of the external price.
 */
export const premiumE10 = (oracleE8: number, bidE8: number | undefined, askE8: number | undefined): number => {
  const above = Math.max(0, (bidE8 ?? 0) - oracleE8)
  const below = askE8 === undefined ? 0 : Math.max(0, oracleE8 - askE8)
  return share(above, oracleE8) - share(below, oracleE8)
}

/** Returns the samples plus `times` further samples of one premium. */
export const sampled = ({ count, weighted }: Samples, premium: number, times: number): Samples => ({
  count: count + times,
  weighted: weighted + premium * (times * count + (times * (times + 1)) / 2)
})

/**
 * Returns an hour's funding rate in 1e-12 of the position value, rounded towards zero; 0 without samples (rule 10.4).
 * The rate is a hundredth of the average premium beyond the dead zone. The weights in the average rise linearly.
 */
export const rateE12 = ({ count, weighted }: Samples): number => {
  if (count === 0) return 0
  const average = Math.trunc(weighted / ((count * (count + 1)) / 2))
  // A hundredth of a value in 1e-10 is the same number in 1e-12.
  return average - Math.min(Math.max(average, -deadZoneE10), deadZoneE10)
}

/**
 * Returns the amount that a position receives for an hour, in 1e-6 USD; negative if the position pays (rule 10.5). A
 * payer's fraction of a unit counts as a whole unit, a receiver's fraction as nothing.
 */
export const payment = (
  instrument: Instrument,
  quantityLots: number,
  { markE8, rateE12 }: Pick<Funded, "rateE12" | "markE8">
): number => {
  const exact = BigInt(quantityLots) * BigInt(instrument.lotE8) * BigInt(markE8) * BigInt(rateE12)
  return Number(exact > 0n ? -((exact + perMicro - 1n) / perMicro) : -exact / perMicro)
}

/** Books an hour's funding on a position and returns the amount received, in 1e-6 USD; negative if paid. */
export const book = (
  position: Position,
  instrument: Instrument,
  funded: Pick<Funded, "rateE12" | "markE8">
): number => {
  const received = payment(instrument, position.quantityLots, funded)
  fund(position, received)
  return received
}

/** Impact notional of a contract in 1e-6 USD: 100,000 USD for FX, 10,000 USD for any other class (rule 10.1). */
function impactNotional({ category }: Instrument): bigint {
  return category === "FX" ? 100_000_000_000n : 10_000_000_000n
}

function share(differenceE8: number, oracleE8: number): number {
  return Math.min(whole, mulDivDown(differenceE8, whole, oracleE8))
}

/** 100 %, in 1e-10 of the external price. */
const whole = 10_000_000_000
/** Dead zone of 5 basis points, in 1e-10 (rule 10.4). */
const deadZoneE10 = 5_000_000
/** Divisor from lots (1e-8) x price (1e-8) x rate (1e-12) to money (1e-6). */
const perMicro = 10n ** 22n
