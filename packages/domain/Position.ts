/** Position of one account in one market. Market and trader use the same functions, so both get the same amounts. */
import { Schema } from "effect"
import { mulDivDown } from "./Decimal.ts"
import type { Side } from "./Order.ts"

/** Snapshot of a position. All numbers are integers: lots, and money in 1e-6 USD below 2^53. */
export const PositionState = Schema.Struct({
  quantityLots: Schema.Number,
  cashFlow: Schema.Number,
  basis: Schema.Number,
  fees: Schema.Number,
  funding: Schema.Number,
  rewards: Schema.Number
})
export type PositionState = typeof PositionState.Type

/** A position; its single owner changes it in place. Money in 1e-6 USD. */
export interface Position {
  /** Signed lots; negative is short. */
  quantityLots: number
  /** Cash from trades: a buy of notional `n` adds -n. Excludes fees and funding. */
  cashFlow: number
  /** Signed cost of the open position; positive when long. `cashFlow + basis` is the realised profit. */
  basis: number
  /** Total fees paid; negative after rebates. */
  fees: number
  /** Total funding received; negative if paid. */
  funding: number
  /** Total builder rewards received for fills of other accounts. */
  rewards: number
}

/** Returns an empty position: the quantity and all amounts are 0. */
export const flat = (): Position => ({ quantityLots: 0, cashFlow: 0, basis: 0, fees: 0, funding: 0, rewards: 0 })

/** Returns the profit realised by all reducing fills, before fees and funding (rule 8.2). */
export const realised = (position: Position): number => position.cashFlow + position.basis

/**
 * Books a fill and returns the profit it realised, in 1e-6 USD. The basis of a closed part is rounded towards zero,
 * and the open part keeps the remainder (rule 8.1). `notional` is exact. Throws a RangeError beyond 2^53.
 */
export const fill = (position: Position, side: Side, lots: number, notional: number, fee: number): number => {
  const before = realised(position)
  const signedLots = side === "BUY" ? lots : -lots
  const cost = side === "BUY" ? notional : -notional
  const held = position.quantityLots
  position.cashFlow -= cost
  position.fees += fee
  position.quantityLots = held + signedLots
  if (held === 0 || held > 0 === signedLots > 0) {
    position.basis += cost
  } else if (lots < Math.abs(held)) {
    const leaving = mulDivDown(Math.abs(position.basis), lots, Math.abs(held))
    position.basis -= held > 0 ? leaving : -leaving
  } else {
    // The position is flat or has changed sides. Any remaining lots were opened at this fill's price, so the division
    // is exact.
    const left = lots - Math.abs(held)
    position.basis = left === 0 ? 0 : Math.sign(cost) * mulDivDown(notional, left, lots)
  }
  assertSafe(position)
  return realised(position) - before
}

/** Returns the unrealised profit in 1e-6 USD (rule 8.3); `value` is quantity x mark, signed. */
export const unrealised = (position: Position, value: bigint): bigint => value - BigInt(position.basis)

/** Books a funding amount in 1e-6 USD; negative if the position paid. */
export const fund = (position: Position, received: number): void => {
  position.funding += received
  assertSafe(position)
}

/** Books a builder reward in 1e-6 USD for the owner of the code. */
export const earn = (position: Position, amount: number): void => {
  position.rewards += amount
  assertSafe(position)
}

/**
 * Restates a position in post-split units: `leaving` is the part of the basis that belonged to a closed fraction of a
 * lot, and `received` the proceeds of that fraction.
 */
export const restate = (position: Position, quantityLots: number, leaving: number, received: number): void => {
  position.quantityLots = quantityLots
  position.basis -= leaving
  position.cashFlow += received
  assertSafe(position)
}

/** Returns true if two snapshots are equal, ignoring rewards, because rewards change constantly in a busy market. */
export const isSame = (a: PositionState, b: PositionState): boolean =>
  a.quantityLots === b.quantityLots &&
  a.cashFlow === b.cashFlow &&
  a.basis === b.basis &&
  a.fees === b.fees &&
  a.funding === b.funding

function assertSafe(position: Position): void {
  if (
    !Number.isSafeInteger(position.quantityLots) ||
    !Number.isSafeInteger(position.cashFlow) ||
    !Number.isSafeInteger(position.basis) ||
    !Number.isSafeInteger(position.fees) ||
    !Number.isSafeInteger(position.funding) ||
    !Number.isSafeInteger(position.rewards)
  ) {
    throw new RangeError("one account's money in one market exceeds 9.007e9 USD")
  }
}
