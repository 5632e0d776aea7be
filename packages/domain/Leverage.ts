/** Leverage: its levels, its margin rates and the position limit each level carries (rule 6, rule 7). */
import { divideUp, moneyScale } from "./Decimal.ts"
import type { Instrument, ProductCategory } from "./Instrument.ts"

/** An account may choose these levels, from 1 to the instrument's maximum. */
export const isLevel = (instrument: Instrument, leverage: number): boolean =>
  Number.isInteger(leverage) && leverage >= 1 && leverage <= instrument.maxLeverage

/** Gives the initial margin of a notional, rounded up. */
export const initialMargin = (notional: bigint, leverage: number): bigint => divideUp(notional, BigInt(leverage))

/** The maintenance margin is two thirds of the initial margin, rounded up. */
export const maintenanceMargin = (notional: bigint, leverage: number): bigint =>
  divideUp(2n * notional, 3n * BigInt(leverage))

/** The position limit at the maximum leverage is this, in USD at the mark. */
export const positionLimitUsd = (instrument: Instrument): number => instrument.positionLimitUsd ?? ofClass(instrument)

/** Open interest of a symbol may reach this, in USD at the mark. */
export const openInterestLimitUsd = (instrument: Instrument): number =>
  instrument.openInterestLimitUsd ?? openInterestLimits * positionLimitUsd(instrument)

const ofClass = (instrument: Instrument): number =>
  instrument.category === "COMMODITY"
    ? instrument.base === "GOLD"
      ? limits.INDEX
      : limits.COMMODITY
    : limits[instrument.category]

/** The position limit of a level is `2 x limit x (1 - L / (2 x Lmax))` in money, rounded down. */
export const maxNotional = (instrument: Instrument, leverage: number): number =>
  Math.floor(
    (positionLimitUsd(instrument) * moneyScale * (2 * instrument.maxLeverage - leverage)) / instrument.maxLeverage
  )

/** So many position limits, where the operator has not said otherwise. */
const openInterestLimits = 10

const limits: Record<ProductCategory, number> = {
  FX: 50_000_000,
  INDEX: 10_000_000,
  COMMODITY: 5_000_000,
  EQUITY: 2_500_000
}
