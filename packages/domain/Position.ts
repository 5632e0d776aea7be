/** What one account holds in one market. Market and trader fold the same fills with this and so agree. */
import { Schema } from "effect"
import { mulDivDown } from "./Decimal.ts"
import type { Side } from "./Order.ts"

/** A position as it was at some moment. All numbers are integers: lots, and money in 1e-6 USD below 2^53. */
export const PositionState = Schema.Struct({
  quantityLots: Schema.Number,
  cashFlow: Schema.Number,
  basis: Schema.Number,
  fees: Schema.Number,
  funding: Schema.Number,
  rewards: Schema.Number
})
export type PositionState = typeof PositionState.Type

/** The one owner changes it in place. */
export interface Position {
  /** Signed lots; negative is short. */
  quantityLots: number
  /** Cash from trades, of which a buy of `n` moves -n; fees and funding are apart. */
  cashFlow: number
  /** Signed cost of what is held: positive when long. `cashFlow + basis` is the realised profit. */
  basis: number
  /** Paid so far; negative after rebates. */
  fees: number
  /** Received so far; negative when paid. */
  funding: number
  /** Received so far as the owner of a builder code, for fills of others. */
  rewards: number
}

export const flat = (): Position => ({ quantityLots: 0, cashFlow: 0, basis: 0, fees: 0, funding: 0, rewards: 0 })

/** Profit taken by reducing fills so far, before fees and funding. */
export const realised = (position: Position): number => position.cashFlow + position.basis

/**
 * Books a fill and returns the profit it realised. The basis of a part that leaves is rounded towards zero, so that
 * what stays carries the remainder. `notional` is exact: ticks x lots x money of one.
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
    // The position is flat or has turned round: what is left was bought at this fill's price, so the division is exact.
    const left = lots - Math.abs(held)
    position.basis = left === 0 ? 0 : Math.sign(cost) * mulDivDown(notional, left, lots)
  }
  assertSafe(position)
  return realised(position) - before
}

/** Gives the profit at a price if all were closed there: `value` is quantity x mark in money, signed. */
export const unrealised = (position: Position, value: bigint): bigint => value - BigInt(position.basis)

/** Books what a position received for funding, negative when it paid. */
export const fund = (position: Position, received: number): void => {
  position.funding += received
  assertSafe(position)
}

/** Books what the owner of a builder code receives for a fill. */
export const earn = (position: Position, amount: number): void => {
  position.rewards += amount
  assertSafe(position)
}

/**
 * Books that the position counts in other units: a part of what it cost leaves with a fraction that was closed, and that
 * brought so much.
 */
export const restate = (position: Position, quantityLots: number, leaving: number, received: number): void => {
  position.quantityLots = quantityLots
  position.basis -= leaving
  position.cashFlow += received
  assertSafe(position)
}

/**
 * Says whether nothing was booked in between, but for what changed nothing, and rewards: these only come in, and those of
 * a busy market never stand still.
 */
export const isSame = (one: PositionState, other: PositionState): boolean =>
  one.quantityLots === other.quantityLots &&
  one.cashFlow === other.cashFlow &&
  one.basis === other.basis &&
  one.fees === other.fees &&
  one.funding === other.funding

function assertSafe(position: Position): void {
  if (
    !Number.isSafeInteger(position.quantityLots) ||
    !Number.isSafeInteger(position.cashFlow) ||
    !Number.isSafeInteger(position.basis) ||
    !Number.isSafeInteger(position.fees) ||
    !Number.isSafeInteger(position.funding) ||
    !Number.isSafeInteger(position.rewards)
  ) {
    throw new RangeError("one account's money in one market passed 9.007e9 USD")
  }
}
