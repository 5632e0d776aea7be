/**
 * How a position ends whose account has used up its equity (rule 9). The desk decides, since it alone knows the equity over
 * all markets; the market carries out what is still as it was decided, and else does nothing. Prices in ticks, quantities in
 * lots, money in 1e-6 USD.
 */
import { Schema } from "effect"
import { AccountId } from "./AccountId.ts"
import { commandEnvelope } from "./CommandEnvelope.ts"
import type * as Id from "./Id.ts"
import { PositionState } from "./Position.ts"
import { UserId } from "./UserId.ts"

/** The desk decided on this: where position or mark is another by now, it looks again. */
export const DecidedOn = Schema.Struct({ position: PositionState, markE8: Schema.Number })
export type DecidedOn = typeof DecidedOn.Type

/** Stage 1: the account's orders and stops end in this market, and a part of the position is offered on the book. */
export const Liquidate = Schema.TaggedStruct("Liquidate", {
  ...commandEnvelope,
  decidedOn: DecidedOn,
  takerRate: Schema.Number,
  leverage: Schema.Number,
  quantityLots: Schema.Number,
  /** No lot is sold for less, or bought for more. */
  priceTicks: Schema.Number
})
export type Liquidate = typeof Liquidate.Type

/** Stages 2 and 3: the account's orders and stops end in this market, and others are asked for its position. */
export const OpenTakeover = Schema.TaggedStruct("OpenTakeover", {
  ...commandEnvelope,
  decidedOn: DecidedOn,
  /** The part of the account's equity that belongs to this position; negative where it is a debt. */
  share: Schema.Number
})
export type OpenTakeover = typeof OpenTakeover.Type

/** From here on the account's position is frozen, until the takeover is closed. */
export interface TakeoverOpened {
  readonly _tag: "TakeoverOpened"
  /** The id of the command that opened it. */
  readonly takeoverId: Id.Id
  readonly expiresAtMillis: number
  readonly userId: UserId
  readonly accountId: AccountId
  /** Signed, and all of the position. */
  readonly quantityLots: number
  readonly markE8: number
  readonly share: number
  readonly atMillis: number
}

/** Its trades stand before it in the log. What nobody took stays with the account, which trades again. */
export interface TakeoverClosed {
  readonly _tag: "TakeoverClosed"
  readonly takeoverId: Id.Id
  readonly userId: UserId
  readonly accountId: AccountId
  /** Signed. */
  readonly leftLots: number
  /** The reserve fund could not cover the debt (rule 9.12). Of most there is none, or it could. */
  readonly isUncovered?: true
  readonly atMillis: number
}

/** What one account can do for the takeovers that are open in a market. Nothing of it is recorded, only what came of it. */
export const Stand = Schema.Struct({
  userId: UserId,
  accountId: AccountId,
  /** It was so when the desk looked: where it is another by now, the account counts as silent. */
  position: PositionState,
  /** The account's equity in millionths of its maintenance margin, rounded down. */
  ratioE6: Schema.Number,
  /** The desk looked at this mark. */
  markE8: Schema.Number,
  /** What the mark has cost the account since, and a worse price than the mark, may be so much, and leaves it without debt. */
  mayLose: Schema.Number,
  /** What a liquidity provider takes over at the mark; `null` for any other account. */
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

/** Time for the takeovers that have been open for long enough: they close with what these and the others may take. */
export interface CloseTakeovers {
  readonly _tag: "CloseTakeovers"
  /** At most one of an account. */
  readonly stands: ReadonlyArray<Stand>
}

/** A provider that takes a position over is paid this, in 1e-8 of notional, for lots that do not make its own smaller. */
export const providerRate = 250_000

/** Desks have so long to answer a takeover. */
export const standMillis = 500
