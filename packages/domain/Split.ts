/**
 * A split of the underlier: in place of b old units there are a new ones (rule 19.2). Market and trader book it with the
 * same function, and so agree.
 */
import { AccountId } from "./AccountId.ts"
import { mulDivDown } from "./Decimal.ts"
import type { Instrument } from "./Instrument.ts"
import { type Position, restate } from "./Position.ts"
import { UserId } from "./UserId.ts"

export interface Ratio {
  /** So many new units come in place of `denominator` old ones. */
  readonly numerator: number
  readonly denominator: number
}

/**
 * Of a halted market. One for the same day again, or for an earlier one, changes nothing; nor does one whose odd lots the
 * reserve fund cannot pay. Orders and stops end first, over several decisions where there are many.
 */
export interface SplitContract extends Ratio {
  readonly _tag: "SplitContract"
  /** From this day on the underlier is traded in new units, in days since 1970-01-01. */
  readonly exDay: number
}

/** It concerns every position of the market: whoever keeps one books it with `book`, at this place in the log. */
export interface ContractSplit extends Ratio {
  readonly _tag: "ContractSplit"
  readonly exDay: number
  /** Fractions of a lot are closed at this price of a new unit, in 1e-8 USD. */
  readonly markE8: number
  /** The reserve fund buys what the fractions of all positions come to, or sells it, in whole lots. */
  readonly fundLots: number
  /** Rounding left so much, in 1e-6 USD; the reserve fund has it. */
  readonly remainder: number
  readonly atMillis: number
}

/** The reserve fund's own account in a market, for the lots that no position can have after a split. */
export const fundUserId = UserId.make("reserve-fund")
export const fundAccountId = AccountId.make("reserve-fund")

/** The largest number of a ratio. */
export const mostUnits = 1_000

export const isRatio = ({ denominator, numerator }: Ratio): boolean =>
  isUnits(numerator) && isUnits(denominator) && numerator !== denominator

/** Gives the price of a new unit, rounded towards zero. */
export const priceE8 = (oldE8: number, { denominator, numerator }: Ratio): number =>
  oldE8 < 0 ? -mulDivDown(-oldE8, denominator, numerator) : mulDivDown(oldE8, denominator, numerator)

/** Gives what lots are worth, or with `perLot` parts of a lot, in 1e-6 USD, rounded down; below zero for a short. */
export const valueOf = ({ lotE8 }: Instrument, parts: bigint, perLot: number, markE8: number): number => {
  const exact = parts * BigInt(lotE8) * BigInt(markE8)
  const micro = BigInt(perLot) * perMicro
  return Number(exact < 0n ? -((micro - 1n - exact) / micro) : exact / micro)
}

/**
 * Books it on a position, and returns what that received for its fraction of a lot, negative when it paid. Who is short pays
 * a fraction of 1e-6 USD as a whole one, and who is long receives it not at all.
 */
export const book = (
  position: Position,
  instrument: Instrument,
  { denominator, markE8, numerator }: Ratio & { readonly markE8: number }
): number => {
  const units = BigInt(position.quantityLots) * BigInt(numerator)
  const parts = units % BigInt(denominator)
  const received = valueOf(instrument, parts, denominator, markE8)
  // What stays of the cost carries the remainder.
  const leaving = units === 0n ? 0n : (BigInt(position.basis) * parts) / units
  restate(position, Number(units / BigInt(denominator)), Number(leaving), received)
  return received
}

/**
 * What the reserve fund's account buys, or sells, for so much. It is paid with the fund's own money, which `Position.fund`
 * books, so that the account has a position and no cash.
 */
export const oddLots = (instrument: Instrument, { fundLots, markE8 }: Pick<ContractSplit, "fundLots" | "markE8">) => ({
  side: fundLots > 0 ? ("BUY" as const) : ("SELL" as const),
  lots: Math.abs(fundLots),
  cost: valueOf(instrument, BigInt(fundLots), 1, markE8)
})

/** A lot in 1e-8 and a price in 1e-8, and money in 1e-6. */
const perMicro = 10n ** 10n

function isUnits(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= mostUnits
}
