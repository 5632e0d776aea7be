/**
 * Liquidation of positions (rule 9). The desk decides, because only the desk has the account's equity over all
 * markets. The market executes a decision only while it still matches the position and the mark. Prices in ticks,
 * quantities in lots, money in 1e-6 USD.
 */
import { Schema } from "effect"
import { AccountId } from "./AccountId.ts"
import { commandEnvelope } from "./CommandEnvelope.ts"
import type * as Id from "./Id.ts"
import { PositionState } from "./Position.ts"
import { UserId } from "./UserId.ts"

/**
 * State on which the desk based its decision. If the position has changed or the mark has moved too far since then,
 * the market ignores the command, and the desk decides again (rule 9.3).
 */
export const DecidedOn = Schema.Struct({ position: PositionState, markE8: Schema.Number })
export type DecidedOn = typeof DecidedOn.Type

/**
 * Stage 1: cancels the account's orders and stops in this market and offers a part of the position on the book (rule
 * 9.4).
 */
export const Liquidate = Schema.TaggedStruct("Liquidate", {
  ...commandEnvelope,
  decidedOn: DecidedOn,
  takerRate: Schema.Number,
  leverage: Schema.Number,
  quantityLots: Schema.Number,
  /** Limit price of the offer. */
  priceTicks: Schema.Number
})
export type Liquidate = typeof Liquidate.Type

/**
 * Stages 2 and 3: cancels the account's orders and stops in this market and offers the position to other accounts (rule
 * 9.5).
 */
export const OpenTakeover = Schema.TaggedStruct("OpenTakeover", {
  ...commandEnvelope,
  decidedOn: DecidedOn,
  /** Part of the account's equity that belongs to this position; negative for a debt (rule 9.6). */
  share: Schema.Number
})
export type OpenTakeover = typeof OpenTakeover.Type

/** A takeover began: the account's position is frozen until `TakeoverClosed`. */
export interface TakeoverOpened {
  readonly _tag: "TakeoverOpened"
  /** Id of the command that opened the takeover. */
  readonly takeoverId: Id.Id
  readonly expiresAtMillis: number
  readonly userId: UserId
  readonly accountId: AccountId
  /** Whole position, signed. */
  readonly quantityLots: number
  readonly markE8: number
  readonly share: number
  readonly atMillis: number
}

/**
 * A takeover ended; its trades come earlier in the log. The account keeps the remaining lots and can trade them
 * again.
 */
export interface TakeoverClosed {
  readonly _tag: "TakeoverClosed"
  readonly takeoverId: Id.Id
  readonly userId: UserId
  readonly accountId: AccountId
  /** Remainder of the position, signed. */
  readonly leftLots: number
  /** True if the reserve fund could not cover the debt (rule 9.12); absent otherwise. */
  readonly isUncovered?: true
  readonly atMillis: number
}

/**
 * A desk's response for one account: how much of a market's open takeovers the account can bear (rule 9.7). Responses
 * are not recorded; only the resulting trades are.
 */
export const Stand = Schema.Struct({
  userId: UserId,
  accountId: AccountId,
  /**
   * Position on which the response is based. The market ignores the response if the position has changed since (rule
   * 9.14).
   */
  position: PositionState,
  /** Equity in millionths of the maintenance margin, rounded down. */
  ratioE6: Schema.Number,
  /** Mark on which the response is based, in 1e-8 USD. */
  markE8: Schema.Number,
  /** Maximum loss that leaves the account without debt. The loss since `markE8` counts towards it. */
  mayLose: Schema.Number,
  /** Capacity of a liquidity provider, which takes positions over at the mark (rule 9.11); null for other accounts. */
  provider: Schema.NullOr(
    Schema.Struct({
      freeMargin: Schema.Number,
      buysLots: Schema.Number,
      sellsLots: Schema.Number,
      leverage: Schema.Number
    })
  )
})
export type Stand = typeof Stand.Type

/** Closes the takeovers whose response time has expired, and distributes their positions among other accounts. */
export interface CloseTakeovers {
  readonly _tag: "CloseTakeovers"
  /** Responses of the desks, at most one per account. */
  readonly stands: ReadonlyArray<Stand>
}

/** Rate that a provider receives, in 1e-8 of notional, for lots that do not reduce its own position (rule 9.13). */
export const providerRate = 250_000

/** Time in milliseconds that desks have to respond to a takeover. */
export const standMillis = 500
