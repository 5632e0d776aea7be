/** A contract's limits. Changes by an operator do not affect existing orders and positions (rule 1.9). */
import { Schema } from "effect"
import { type Instrument, largestOrder } from "./Instrument.ts"
import { openInterestLimitUsd, positionLimitUsd } from "./Leverage.ts"

/** The changeable limits of a contract. */
export const Limits = Schema.Struct({
  minQuantityLots: Schema.Number,
  maxQuantityLots: Schema.Number,
  /** Position limit at maximum leverage, in USD (rule 6.2). */
  positionUsd: Schema.Number,
  /** Open-interest limit, in USD (rule 6.6). */
  openInterestUsd: Schema.Number
})
export type Limits = typeof Limits.Type

/** Replaces the limits of a contract. */
export interface SetLimits extends Limits {
  readonly _tag: "SetLimits"
}

/** The limits changed; later orders must observe them. */
export interface LimitsSet extends Limits {
  readonly _tag: "LimitsSet"
  readonly atMillis: number
}

/** Returns the current limits of a contract. */
export const limitsOf = (instrument: Instrument): Limits => ({
  minQuantityLots: instrument.minQuantityLots,
  maxQuantityLots: instrument.maxQuantityLots,
  positionUsd: positionLimitUsd(instrument),
  openInterestUsd: openInterestLimitUsd(instrument)
})

/** Returns the contract with these limits. */
export const withLimits = (
  instrument: Instrument,
  { maxQuantityLots, minQuantityLots, openInterestUsd, positionUsd }: Limits
): Instrument => ({
  ...instrument,
  minQuantityLots,
  maxQuantityLots,
  positionLimitUsd: positionUsd,
  openInterestLimitUsd: openInterestUsd
})

/** Returns true if all limits are equal. */
export const areSame = (a: Limits, b: Limits): boolean =>
  a.minQuantityLots === b.minQuantityLots &&
  a.maxQuantityLots === b.maxQuantityLots &&
  a.positionUsd === b.positionUsd &&
  a.openInterestUsd === b.openInterestUsd

/** The first invalid limit and a description of a valid value. */
export interface LimitsFlaw {
  readonly limit: keyof Limits
  readonly expected: string
}

/** Returns the first flaw of new limits, or undefined if they are valid. */
export const flawOf = (limits: Limits): LimitsFlaw | undefined => {
  const { maxQuantityLots, minQuantityLots, openInterestUsd, positionUsd } = limits
  const flaw = (limit: keyof Limits, expected: string): LimitsFlaw => ({ limit, expected })
  if (!isCount(minQuantityLots, largestOrder)) return flaw("minQuantityLots", "a number of lots, at least 1")
  if (!isCount(maxQuantityLots, largestOrder) || maxQuantityLots < minQuantityLots)
    return flaw("maxQuantityLots", `a number of lots from the minimum quantity to ${largestOrder}`)
  if (!isCount(positionUsd, maxPositionUsd))
    return flaw("positionUsd", `a whole number of USD from 1 to ${maxPositionUsd}`)
  return isCount(openInterestUsd, maxOpenInterestUsd) && openInterestUsd >= positionUsd
    ? undefined
    : flaw("openInterestUsd", `a whole number of USD from the position limit to ${maxOpenInterestUsd}`)
}

/** Maximum position limit. It keeps `limit x 1e6 x 100`, an intermediate value in `maxNotional`, below 2^53. */
const maxPositionUsd = 90_000_000
/**
 * Maximum open-interest limit in USD, at which the price can still double before it reaches the maximum external
 * price (rule 3.2).
 */
const maxOpenInterestUsd = 2_000_000_000

function isCount(count: number, most: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= most
}
