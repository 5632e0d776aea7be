/** The limits of a contract that may change at once, since what was recorded before does not count in them (rule 1.9). */
import { Schema } from "effect"
import { type Instrument, largestOrder } from "./Instrument.ts"
import { openInterestLimitUsd, positionLimitUsd } from "./Leverage.ts"

export const Limits = Schema.Struct({
  minQuantityLots: Schema.Number,
  maxQuantityLots: Schema.Number,
  /** At the maximum leverage, in USD. */
  positionUsd: Schema.Number,
  openInterestUsd: Schema.Number
})
export type Limits = typeof Limits.Type

export interface SetLimits extends Limits {
  readonly _tag: "SetLimits"
}

/** From here on these hold, in place of those that the contract was listed with. */
export interface LimitsSet extends Limits {
  readonly _tag: "LimitsSet"
  readonly atMillis: number
}

/** Gives those that a contract has as it stands. */
export const limitsOf = (instrument: Instrument): Limits => ({
  minQuantityLots: instrument.minQuantityLots,
  maxQuantityLots: instrument.maxQuantityLots,
  positionUsd: positionLimitUsd(instrument),
  openInterestUsd: openInterestLimitUsd(instrument)
})

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

export const areSame = (one: Limits, other: Limits): boolean =>
  one.minQuantityLots === other.minQuantityLots &&
  one.maxQuantityLots === other.maxQuantityLots &&
  one.positionUsd === other.positionUsd &&
  one.openInterestUsd === other.openInterestUsd

/** The limit that does not fit, and what would. */
export interface LimitsFlaw {
  readonly limit: keyof Limits
  readonly expected: string
}

export const flawOf = (limits: Limits): LimitsFlaw | undefined => {
  const { maxQuantityLots, minQuantityLots, openInterestUsd, positionUsd } = limits
  const flaw = (limit: keyof Limits, expected: string): LimitsFlaw => ({ limit, expected })
  if (!isCount(minQuantityLots, largestOrder)) return flaw("minQuantityLots", "a number of lots, one at least")
  if (!isCount(maxQuantityLots, largestOrder) || maxQuantityLots < minQuantityLots)
    return flaw("maxQuantityLots", `a number of lots, no less than the least quantity and ${largestOrder} at most`)
  if (!isCount(positionUsd, mostPositionUsd)) return flaw("positionUsd", `whole USD, ${mostPositionUsd} at most`)
  return isCount(openInterestUsd, mostOpenInterestUsd) && openInterestUsd >= positionUsd
    ? undefined
    : flaw("openInterestUsd", `whole USD, no less than the position limit and ${mostOpenInterestUsd} at most`)
}

/** In 1e-6 USD, and times a hundred, it is below 2^53. */
const mostPositionUsd = 90_000_000
/** So much may double in price before no higher one is taken in (rule 3.2). */
const mostOpenInterestUsd = 2_000_000_000

function isCount(count: number, most: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= most
}
