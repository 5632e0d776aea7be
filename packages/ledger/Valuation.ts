/** The money of lots at a mark, lots x lot x mark / 1e10, with every rounding named. */
import { mulDivDown, mulDivUp } from "@venue/domain/Decimal"
import type { Instrument } from "@venue/domain/Instrument"

/** The same fraction in its lowest terms, so that most products stay below 2^53 and need no big integer. */
export interface Valuation {
  readonly factor: number
  readonly divisor: number
}

export const make = ({ lotE8 }: Instrument): Valuation => {
  const common = greatestCommonDivisor(lotE8, perMoney)
  return { factor: lotE8 / common, divisor: perMoney / common }
}

/** `lots` >= 0, `mark` in 1e-8 USD. */
export const down = ({ divisor, factor }: Valuation, lots: number, markE8: number): number =>
  mulDivDown(lots * factor, markE8, divisor)

export const up = ({ divisor, factor }: Valuation, lots: number, markE8: number): number =>
  mulDivUp(lots * factor, markE8, divisor)

/** The margin of that money, rounded up once. */
export const marginUp = ({ divisor, factor }: Valuation, lots: number, markE8: number, leverage: number): number =>
  mulDivUp(lots * factor, markE8, divisor * leverage)

/** The maintenance margin of that money, two thirds of the initial one, rounded up once. */
export const maintenanceUp = ({ divisor, factor }: Valuation, lots: number, markE8: number, leverage: number): number =>
  mulDivUp(lots * factor * 2, markE8, divisor * leverage * 3)

/** So many times 1e-8 x 1e-8 make 1e-6 USD. */
const perMoney = 10_000_000_000

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
