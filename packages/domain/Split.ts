/**
 * Splits of the underlier: `numerator` new units replace `denominator` old ones (rule 19.2). Market and trader book a
 * split with the same function, so both get the same amounts.
 */
import { AccountId } from "./AccountId.ts"
import { mulDivDown } from "./Decimal.ts"
import type { Instrument } from "./Instrument.ts"
import { type Position, restate } from "./Position.ts"
import { UserId } from "./UserId.ts"

/** Ratio of a split. */
export interface Ratio {
  /** Number of new units that replace `denominator` old ones. */
  readonly numerator: number
  readonly denominator: number
}

/**
 * Splits a halted market. Has no effect if a split for the same or a later day was made, or if the reserve fund
 * cannot pay for the odd lots. Orders and stops end first, which can take several decisions.
 */
export interface SplitContract extends Ratio {
  readonly _tag: "SplitContract"
  /** First day on which the underlier trades in new units, in days since 1970-01-01. */
  readonly exDay: number
}

/**
 * A contract was split. Applies to every position in the market: each market and trader with a position calls `book`
 * at this point in the log.
 */
export interface ContractSplit extends Ratio {
  readonly _tag: "ContractSplit"
  readonly exDay: number
  /** Price of a new unit at which fractions of a lot are closed, in 1e-8 USD. */
  readonly markE8: number
  /** Whole lots that the reserve fund buys (positive) or sells (negative) against the closed fractions. */
  readonly fundLots: number
  /** Total that rounding left over, in 1e-6 USD, which goes to the reserve fund. */
  readonly remainder: number
  readonly atMillis: number
}

/** User and account of the reserve fund in a market. The account holds the lots that the fund took over in splits. */
export const fundUserId = UserId.make("reserve-fund")
export const fundAccountId = AccountId.make("reserve-fund")

/** Maximum numerator and denominator of a ratio. */
export const maxUnits = 1_000

/** Returns true for a valid ratio other than 1. */
export const isRatio = ({ denominator, numerator }: Ratio): boolean =>
  isUnits(numerator) && isUnits(denominator) && numerator !== denominator

/** Returns the price of a new unit in 1e-8 USD, rounded towards zero. */
export const priceE8 = (oldE8: number, { denominator, numerator }: Ratio): number =>
  oldE8 < 0 ? -mulDivDown(-oldE8, denominator, numerator) : mulDivDown(oldE8, denominator, numerator)

/**
 * Returns the value of `parts` fractions of a lot, of which `perLot` make one lot, in 1e-6 USD, rounded down;
 * negative for a short. `markE8` is in 1e-8 USD.
 */
export const valueOf = ({ lotE8 }: Instrument, parts: bigint, perLot: number, markE8: number): number => {
  const exact = parts * BigInt(lotE8) * BigInt(markE8)
  const micro = BigInt(perLot) * perMicro
  return Number(exact < 0n ? -((micro - 1n - exact) / micro) : exact / micro)
}

/**
 * Books a split on a position and returns the proceeds of its fraction of a lot, in 1e-6 USD; negative if it paid. A
 * short pays any fraction of 1e-6 USD as a whole unit, and a long receives nothing for it.
 */
export const book = (
  position: Position,
  instrument: Instrument,
  { denominator, markE8, numerator }: Ratio & { readonly markE8: number }
): number => {
  const units = BigInt(position.quantityLots) * BigInt(numerator)
  const parts = units % BigInt(denominator)
  const received = valueOf(instrument, parts, denominator, markE8)
  // The remaining cost keeps the rounding remainder.
  const leaving = units === 0n ? 0n : (BigInt(position.basis) * parts) / units
  restate(position, Number(units / BigInt(denominator)), Number(leaving), received)
  return received
}

/**
 * Returns the trade of the reserve fund's account against the closed fractions: side, lots, and cost in 1e-6 USD.
 * `Position.fund` books the payment from the fund's own money, so that the account holds a position and no cash.
 */
export const oddLots = (instrument: Instrument, { fundLots, markE8 }: Pick<ContractSplit, "fundLots" | "markE8">) => ({
  side: fundLots > 0 ? ("BUY" as const) : ("SELL" as const),
  lots: Math.abs(fundLots),
  cost: valueOf(instrument, BigInt(fundLots), 1, markE8)
})

/** Divisor from lots (1e-8) x price (1e-8) to money (1e-6). */
const perMicro = 10n ** 10n

function isUnits(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= maxUnits
}
