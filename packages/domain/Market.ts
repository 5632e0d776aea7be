/** Commands of one market and the events of its log. Prices in ticks, quantities in lots, money in 1e-6 USD. */
import { Schema } from "effect"
import type { AccountId } from "./AccountId.ts"
import type { BuilderIntroduced, IntroduceBuilder, Reward } from "./Builder.ts"
import { commandEnvelope } from "./CommandEnvelope.ts"
import type { DividendPaid, PayDividend } from "./Dividend.ts"
import { Echo } from "./Echo.ts"
import type { OffBook } from "./Execution.ts"
import type { Funded, Sampled } from "./Funding.ts"
import type { HoldersCounted } from "./Holders.ts"
import type * as Id from "./Id.ts"
import {
  Liquidate,
  OpenTakeover,
  type CloseTakeovers,
  type TakeoverClosed,
  type TakeoverOpened
} from "./Liquidation.ts"
import type { LimitsSet, SetLimits } from "./Limits.ts"
import type { MarketSymbol } from "./MarketSymbol.ts"
import {
  Bracket,
  CancelCause,
  type EndStatus,
  type Order,
  OrderOrigin,
  OrderType,
  Side,
  Spared,
  TimeInForce
} from "./Order.ts"
import { OrderId } from "./OrderId.ts"
import { OrderRefusal } from "./Reject.ts"
import type { FundToppedUp, TopUpFund } from "./ReserveFund.ts"
import type { Delist, SettlementBegan } from "./Settlement.ts"
import type { ContractSplit, SplitContract } from "./Split.ts"
import type { StopPlaced, Triggered } from "./Stop.ts"
import type { SetTradingState, TradingStateChanged } from "./TradingState.ts"
import { CloseTwaps, OpenTwap, type TwapAdvanced, type TwapClosed, TwapId, type TwapOpened } from "./Twap.ts"
import type { UserId } from "./UserId.ts"

/** Returns the name of a market's stream in the journal. */
export const marketStream = (symbol: MarketSymbol): string => `market/${symbol}`

const Finding = Schema.NullOr(
  Schema.Literals(["REJECTED_TOO_MANY_OPEN_ORDERS", "REJECTED_TOTAL_OPEN_INTEREST_LIMIT", "FAILED_MARGIN_CHECK"])
)
/**
 * Reason for which the desk would refuse the order, or null. Applies only if the order passes all earlier checks
 * (rule 4.14).
 */
export type Finding = typeof Finding.Type

/** The user's rates, limit and leverage, which the command carries. */
const terms = {
  makerRate: Schema.Number,
  takerRate: Schema.Number,
  /** Position limit at the chosen leverage in 1e-6 USD, before the trading period's share is applied (rule 6.3). */
  maxNotional: Schema.Number,
  /** Leverage that the account has chosen for this symbol. */
  leverage: Schema.Number,
  finding: Finding
}

/** Places an order. The desk has validated shape, ticks and lots; the order id is the command id. */
export const Place = Schema.TaggedStruct("Place", {
  ...commandEnvelope,
  ...terms,
  side: Side,
  type: OrderType,
  timeInForce: TimeInForce,
  /**
   * Limit price. For a MARKET order, the worst fill price within the band, or 0 if only the band limits the price.
   * For a TWAP child, the market clips the price to band and bounds (rule 16.5).
   */
  priceTicks: Schema.Number,
  quantityLots: Schema.Number,
  reduceOnly: Schema.Boolean,
  clientOrderId: Schema.String,
  builderCode: Schema.String,
  origin: OrderOrigin,
  bracket: Schema.optionalKey(Bracket)
})
export type Place = typeof Place.Type

/**
 * Modifies an order. A price or quantity of 0 means unchanged. Neither is ever `NaN`: the desk sends a `Refuse`
 * instead.
 */
export const Modify = Schema.TaggedStruct("Modify", {
  ...commandEnvelope,
  ...terms,
  orderId: OrderId,
  side: Side,
  type: OrderType,
  priceTicks: Schema.Number,
  quantityLots: Schema.Number,
  reduceOnly: Schema.Boolean,
  /** Stop prices of the bracket: absent means unchanged, 0 removes the stop. */
  takeProfitTicks: Schema.optionalKey(Schema.Number),
  stopLossTicks: Schema.optionalKey(Schema.Number)
})
export type Modify = typeof Modify.Type

/** Cancels one order by its id, or, if the id is null, every order with the client order id. */
export const Cancel = Schema.TaggedStruct("Cancel", {
  ...commandEnvelope,
  orderId: Schema.NullOr(OrderId),
  clientOrderId: Schema.String
})
export type Cancel = typeof Cancel.Type

/** Cancels all of the account's orders and stops. The cause `DISCONNECT` spares stops and the orders in `except`. */
export const CancelAll = Schema.TaggedStruct("CancelAll", {
  ...commandEnvelope,
  cause: CancelCause,
  except: Schema.optionalKey(Spared)
})
export type CancelAll = typeof CancelAll.Type

/**
 * Closes the account's position with a reduce-only LIMIT IOC order, priced 5 % through the mark within the band (rule
 * 4.12). The market sets the quantity, because only the market knows the current position.
 */
export const Close = Schema.TaggedStruct("Close", {
  ...commandEnvelope,
  ...terms,
  clientOrderId: Schema.String,
  builderCode: Schema.String
})
export type Close = typeof Close.Type

/** A command that the desk refused. Passes through the log so that all responses about a symbol stay in sequence. */
export const Refuse = Schema.TaggedStruct("Refuse", { ...commandEnvelope, status: OrderRefusal, echo: Echo })
export type Refuse = typeof Refuse.Type

/**
 * Places a TWAP slice's child order, or records the desk's refusal; either completes the slice. The market drops a
 * slice that is not newer than the last one.
 */
export const PlaceSlice = Schema.TaggedStruct("PlaceSlice", {
  ...commandEnvelope,
  twapId: TwapId,
  slice: Schema.Number,
  child: Schema.Union([Place, Refuse])
})
export type PlaceSlice = typeof PlaceSlice.Type

/** Commands that a desk sends for its traders. */
export const TraderCommand = Schema.Union([
  Place,
  Modify,
  Cancel,
  CancelAll,
  Close,
  Refuse,
  Liquidate,
  OpenTakeover,
  OpenTwap,
  PlaceSlice,
  CloseTwaps
])
export type TraderCommand = typeof TraderCommand.Type

/** Origin of an external price: the price sources, or the operator, whose price skips the filter of rule 3.1. */
export const PriceOrigin = Schema.Literals(["external", "operator"])
export type PriceOrigin = typeof PriceOrigin.Type

/** Reports the external price of the underlier, in 1e-8 USD. */
export interface Observe {
  /** Timestamp of the newest quote that the price depends on; absent if the sources supply none. */
  readonly quotedAtMillis?: number
  readonly _tag: "Observe"
  readonly priceE8: number
  readonly teller: PriceOrigin
}

/** Pauses or resumes the price sources of a symbol. Has no effect before the first price. */
export interface PauseSources {
  readonly _tag: "PauseSources"
  readonly paused: boolean
}

/** Advances the market's clock: updates mark, average premium and bands. */
export interface Tick {
  readonly _tag: "Tick"
}

/** A trader has a new owner. From this command on, the market refuses commands with older epochs. */
export interface RaiseEpoch {
  readonly _tag: "RaiseEpoch"
  readonly userId: UserId
  readonly traderEpoch: number
}

/** Cancels all orders, stops and TWAPs of the market, after a recovery that lost the cancels of some of them. */
export interface CancelOrders {
  readonly _tag: "CancelOrders"
}

/** Every command of a market. */
export type MarketCommand =
  | TraderCommand
  | Observe
  | PauseSources
  | Tick
  | RaiseEpoch
  | SetTradingState
  | PayDividend
  | IntroduceBuilder
  | CloseTakeovers
  | TopUpFund
  | Delist
  | SplitContract
  | SetLimits
  | CancelOrders

/** An order was accepted. */
export interface Accepted {
  readonly _tag: "Accepted"
  readonly commandId: Id.Id
  readonly expiresAtMillis: number
  readonly order: Order
  readonly makerRate: number
  readonly leverage: number
  readonly atMillis: number
}

/** A command was refused, or expired before it reached the market. */
export interface Refused {
  readonly _tag: "Refused"
  readonly commandId: Id.Id
  readonly expiresAtMillis: number
  readonly userId: UserId
  readonly accountId: AccountId
  readonly status: "EXPIRED" | OrderRefusal
  readonly echo: Echo
  readonly atMillis: number
}

/** One side of a trade; `order.remainingLots` is the quantity left after the trade. */
export interface Fill {
  readonly order: Order
  readonly fee: number
  /** Profit realised by this fill, before its fee. */
  readonly realised: number
  /** Initial margin added by this fill, in 1e-6 USD, rounded up; 0 if the fill only reduced the position. */
  readonly marginUsed: number
  /** Builder reward from the fee; null without one. */
  readonly reward: Reward | null
}

/** Two orders traded. */
export interface Traded {
  readonly _tag: "Traded"
  readonly tradeId: Id.Id
  /** Number of the trade in its market: 1, 2, 3 … */
  readonly number: number
  readonly priceTicks: number
  readonly quantityLots: number
  readonly notional: number
  readonly maker: Fill
  readonly taker: Fill
  /** Cause of a trade off the book; absent for a trade on the book. */
  readonly offBook?: OffBook
  readonly atMillis: number
}

/** An order left the book before it was filled completely. `commandId` is null if no command cancelled it. */
export interface Ended {
  readonly _tag: "Ended"
  readonly commandId: Id.Id | null
  readonly order: Order
  readonly status: EndStatus
  readonly atMillis: number
}

/**
 * An order has a new price or quantity. `requeued` is true if the order lost its place in the queue. `commandId` is
 * null if the market itself cut a reduce-only order.
 */
export interface Modified {
  readonly _tag: "Modified"
  readonly commandId: Id.Id | null
  readonly order: Order
  readonly requeued: boolean
  readonly atMillis: number
}

/** Stores the id of an executed command that has no event of its own. Follows all other events of the command. */
export interface Done {
  readonly _tag: "Done"
  readonly commandId: Id.Id
  readonly expiresAtMillis: number
  readonly userId: UserId
  readonly accountId: AccountId
  readonly atMillis: number
}

/** Prices and bounds derived from external price, book and time. Prices in 1e-8 USD, bounds in ticks. */
export interface Priced {
  readonly _tag: "Priced"
  /**
   * Origin of the oracle price. If it is `internal`, the price follows the book, either outside market hours or after
   * the external price went stale (rule 3.4, rule 3.5).
   */
  readonly source: PriceOrigin | "internal" | "stale"
  readonly oracleE8: number
  /** Last accepted external price and its time. The oracle price differs from it only while following the book. */
  readonly toldE8: number
  readonly toldAtMillis: number
  /** Number of consecutive prices that the filter rejected, at most three (rule 3.1). */
  readonly rejections: number
  readonly paused: boolean
  readonly markE8: number
  /**
   * Mark at which accounts are valued: the last fresh mark if the price is stale (rule 3.5) or trading is stopped
   * (rule 1.7).
   */
  readonly freshMarkE8: number
  /** Exponential average over 150 s of the mid price minus the oracle price, in 1e-8 USD, signed. */
  readonly premiumE8: number
  /** Edges of the price band: lowest price of a sell and highest price of a buy (rule 5.1). */
  readonly lowerTicks: number
  readonly upperTicks: number
  /** Price bounds of the day, which apply to every order (rule 1.6). */
  readonly minPriceTicks: number
  readonly maxPriceTicks: number
  /** Share of the position and open-interest limits that applies, in basis points; 10,000 in period OPEN (rule 6.3). */
  readonly limitShareBps: number
  /** Best bid and ask; 0 if the side is empty, and in records of the first version. */
  readonly bidTicks: number
  readonly askTicks: number
  /** Open interest in lots of one side; 0 in records of the first versions. */
  readonly openInterestLots: number
  readonly atMillis: number
}

/** A trader has a new owner. Commands with older epochs are refused. */
export interface EpochRaised {
  readonly _tag: "EpochRaised"
  readonly userId: UserId
  readonly traderEpoch: number
  readonly atMillis: number
}

/** Every event of a market's log. */
export type MarketEvent =
  | Accepted
  | Refused
  | Traded
  | Ended
  | Modified
  | Done
  | Priced
  | EpochRaised
  | Sampled
  | Funded
  | TradingStateChanged
  | SettlementBegan
  | ContractSplit
  | LimitsSet
  | HoldersCounted
  | DividendPaid
  | StopPlaced
  | Triggered
  | BuilderIntroduced
  | TakeoverOpened
  | TakeoverClosed
  | FundToppedUp
  | TwapOpened
  | TwapAdvanced
  | TwapClosed

/** Total quantity at one price; 0 after the last order has left. */
export interface Level {
  readonly side: Side
  readonly priceTicks: number
  readonly quantityLots: number
}
