/** Leverage: levels, margin rates, and the position limit of each level (rule 6, rule 7). */
import { divideUp, moneyScale } from "./Decimal.ts"
import type { Instrument, ProductCategory } from "./Instrument.ts"

/** Returns true for a whole level from 1 to the instrument's maximum leverage (rule 7.2). */
export const isLevel = (instrument: Instrument, leverage: number): boolean =>
  Number.isInteger(leverage) && leverage >= 1 && leverage <= instrument.maxLeverage

/** Returns the initial margin of a notional, `notional / leverage`, rounded up; both in 1e-6 USD (rule 7.3). */
export const initialMargin = (notional: bigint, leverage: number): bigint => divideUp(notional, BigInt(leverage))

/** Returns the maintenance margin of a notional: two thirds of the initial margin, rounded up; 1e-6 USD (rule 7.3). */
export const maintenanceMargin = (notional: bigint, leverage: number): bigint =>
  divideUp(2n * notional, 3n * BigInt(leverage))

/** Returns the position limit at maximum leverage, in USD at the mark (rule 6.2). */
export const positionLimitUsd = (instrument: Instrument): number =>
  instrument.positionLimitUsd ?? classLimitUsd(instrument)

/** Returns the open-interest limit of a symbol, in USD at the mark (rule 6.6). */
export const openInterestLimitUsd = (instrument: Instrument): number =>
  instrument.openInterestLimitUsd ?? openInterestMultiple * positionLimitUsd(instrument)

const classLimitUsd = (instrument: Instrument): number =>
  instrument.category === "COMMODITY"
    ? instrument.base === "GOLD"
      ? limits.INDEX
      : limits.COMMODITY
    : limits[instrument.category]

/** Returns the position limit of a level in 1e-6 USD: `2 x limit x (1 - L / (2 x Lmax))`, rounded down (rule 6.4). */
export const maxNotional = (instrument: Instrument, leverage: number): number =>
  Math.floor(
    (positionLimitUsd(instrument) * moneyScale * (2 * instrument.maxLeverage - leverage)) / instrument.maxLeverage
  )

/** Default open-interest limit as a multiple of the position limit (rule 6.6). */
const openInterestMultiple = 10

const limits: Record<ProductCategory, number> = {
  FX: 50_000_000,
  INDEX: 10_000_000,
  COMMODITY: 5_000_000,
  EQUITY: 2_500_000
}
