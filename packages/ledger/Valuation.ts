/** Value of lots at a mark, `lots x lot x mark / 1e10`, with every rounding named. */
import { mulDivDown, mulDivUp } from "@venue/domain/Decimal"
import type { Instrument } from "@venue/domain/Instrument"

/** Factor and divisor reduced to lowest terms, so that most products stay below 2^53 and need no bigint. */
export interface Valuation {
  readonly factor: number
  readonly divisor: number
}

export const make = ({ lotE8 }: Instrument): Valuation => {
  const common = greatestCommonDivisor(lotE8, perMoney)
  return { factor: lotE8 / common, divisor: perMoney / common }
}

/** Returns the value rounded down, in 1e-6 USD; `lots` >= 0, `markE8` in 1e-8 USD. */
export const down = ({ divisor, factor }: Valuation, lots: number, markE8: number): number =>
  mulDivDown(lots * factor, markE8, divisor)

/** Returns the value rounded up, in 1e-6 USD. */
export const up = ({ divisor, factor }: Valuation, lots: number, markE8: number): number =>
  mulDivUp(lots * factor, markE8, divisor)

/** Returns the initial margin of the value, rounded up only once. */
export const marginUp = ({ divisor, factor }: Valuation, lots: number, markE8: number, leverage: number): number =>
  mulDivUp(lots * factor, markE8, divisor * leverage)

/** Returns the maintenance margin of the value: two thirds of the initial margin, rounded up only once. */
export const maintenanceUp = ({ divisor, factor }: Valuation, lots: number, markE8: number, leverage: number): number =>
  mulDivUp(lots * factor * 2, markE8, divisor * leverage * 3)

/** Divisor from 1e-8 x 1e-8 to 1e-6 USD. */
const perMoney = 10_000_000_000

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
