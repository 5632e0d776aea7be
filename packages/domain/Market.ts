/** What may be asked of one market and what its log records. Prices in ticks, quantities in lots, money in 1e-6 USD. */
import { Schema } from "effect"
import type { AccountId } from "./AccountId.ts"
import type { BuilderIntroduced, IntroduceBuilder, Reward } from "./Builder.ts"
import { commandEnvelope } from "./CommandEnvelope.ts"
import type { DividendPaid, PayDividend } from "./Dividend.ts"
import { Echo } from "./Echo.ts"
import type { OffBook } from "./Execution.ts"
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

/** The name of a market's stream in the journal. */
export const marketStream = (symbol: MarketSymbol): string => `market/${symbol}`

/**
 * The desk refused the order for this. The market checks what comes before it in the order of checks, and then takes
 * it.
 */
const Finding = Schema.NullOr(
  Schema.Literals(["REJECTED_TOO_MANY_OPEN_ORDERS", "REJECTED_TOTAL_OPEN_INTEREST_LIMIT", "FAILED_MARGIN_CHECK"])
)
export type Finding = typeof Finding.Type

/** Terms that belong to the user and so travel with the command. */
const terms = {
  makerRate: Schema.Number,
  takerRate: Schema.Number,
  /** The chosen leverage has this position limit in money, before the period takes its share. */
  maxNotional: Schema.Number,
  /** The account has chosen this level in this symbol. */
  leverage: Schema.Number,
  finding: Finding
}

/** The desk has checked shape, ticks and lots; the order id is the command id. */
export const Place = Schema.TaggedStruct("Place", {
  ...commandEnvelope,
  ...terms,
  side: Side,
  type: OrderType,
  timeInForce: TimeInForce,
  /**
   * Of a MARKET order it is the worst price it may fill at, within the band; 0 where the band alone holds. That of a TWAP's
   * child is clipped to band and bounds of its market.
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

/** `price` and `quantity` 0 mean unchanged; `NaN` travels as a `Refuse`, so both are whole here. */
export const Modify = Schema.TaggedStruct("Modify", {
  ...commandEnvelope,
  ...terms,
  orderId: OrderId,
  side: Side,
  type: OrderType,
  priceTicks: Schema.Number,
  quantityLots: Schema.Number,
  reduceOnly: Schema.Boolean,
  /** Of the bracket: unchanged where it is left out, and none where it is 0. */
  takeProfitTicks: Schema.optionalKey(Schema.Number),
  stopLossTicks: Schema.optionalKey(Schema.Number)
})
export type Modify = typeof Modify.Type

/** Cancels one order by its id, or where that is null all with the client order id. */
export const Cancel = Schema.TaggedStruct("Cancel", {
  ...commandEnvelope,
  orderId: Schema.NullOr(OrderId),
  clientOrderId: Schema.String
})
export type Cancel = typeof Cancel.Type

/** Cancels all orders of the account; its stops too, unless a connection was lost, which alone spares what is excepted. */
export const CancelAll = Schema.TaggedStruct("CancelAll", {
  ...commandEnvelope,
  cause: CancelCause,
  except: Schema.optionalKey(Spared)
})
export type CancelAll = typeof CancelAll.Type

/**
 * The market sizes the order, since it knows the position: LIMIT IOC reduce-only, 5 % through the mark, within the
 * band.
 */
export const Close = Schema.TaggedStruct("Close", {
  ...commandEnvelope,
  ...terms,
  clientOrderId: Schema.String,
  builderCode: Schema.String
})
export type Close = typeof Close.Type

/** The desk has refused this command already; it passes through the log so that a symbol's answers keep one order. */
export const Refuse = Schema.TaggedStruct("Refuse", { ...commandEnvelope, status: OrderRefusal, echo: Echo })
export type Refuse = typeof Refuse.Type

/** The one child of a slice, or what its desk refused it for: the slice has come either way, unless a newer one has. */
export const PlaceSlice = Schema.TaggedStruct("PlaceSlice", {
  ...commandEnvelope,
  twapId: TwapId,
  slice: Schema.Number,
  child: Schema.Union([Place, Refuse])
})
export type PlaceSlice = typeof PlaceSlice.Type

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

/** Who tells an outside price: the sources, or the operator, whose word is believed whatever it says. */
export const Teller = Schema.Literals(["external", "operator"])
export type Teller = typeof Teller.Type

/** The outside price of the underlier, in 1e-8 USD. */
export interface Observe {
  /** The own time of the newest quote that the price needs; left out where sources name none. */
  readonly quotedAtMillis?: number
  readonly _tag: "Observe"
  readonly priceE8: number
  readonly teller: Teller
}

/** The sources of a symbol are heard no more, or again. Before the first price there is nothing to pause. */
export interface PauseSources {
  readonly _tag: "PauseSources"
  readonly paused: boolean
}

/** The clock was read: the mark, its average and the bands are brought up to now. */
export interface Tick {
  readonly _tag: "Tick"
}

/** A trader has a new owner, so commands of older epochs are refused from here on. */
export interface RaiseEpoch {
  readonly _tag: "RaiseEpoch"
  readonly userId: UserId
  readonly traderEpoch: number
}

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

export interface Accepted {
  readonly _tag: "Accepted"
  readonly commandId: Id.Id
  readonly expiresAtMillis: number
  readonly order: Order
  readonly makerRate: number
  readonly leverage: number
  readonly atMillis: number
}

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

/** One side of a trade; `order.remaining` is what is left after it. */
export interface Fill {
  readonly order: Order
  readonly fee: number
  /** This fill realised so much profit, before its fee. */
  readonly realised: number
  /** This fill added so much initial margin, in 1e-6 USD, rounded up; 0 when it only reduced. */
  readonly marginUsed: number
  /** `null` where nobody has a share of the fee. */
  readonly reward: Reward | null
}

export interface Traded {
  readonly _tag: "Traded"
  readonly tradeId: Id.Id
  /** The trades of a market are numbered 1, 2, 3 … */
  readonly number: number
  readonly priceTicks: number
  readonly quantityLots: number
  readonly notional: number
  readonly maker: Fill
  readonly taker: Fill
  /** Most trades are of the book, and have none. */
  readonly offBook?: OffBook
  readonly atMillis: number
}

/** An order left without being filled whole. `commandId` is the cancel's, or null when nobody asked. */
export interface Ended {
  readonly _tag: "Ended"
  readonly commandId: Id.Id | null
  readonly order: Order
  readonly status: EndStatus
  readonly atMillis: number
}

/**
 * An order has a new price or quantity. `requeued` orders went to the back of their price. `commandId` is null when a
 * reduce-only order was cut.
 */
export interface Modified {
  readonly _tag: "Modified"
  readonly commandId: Id.Id | null
  readonly order: Order
  readonly requeued: boolean
  readonly atMillis: number
}

/** A command that changes nothing by itself is done; its id is remembered. So is that of a cancel or a modify, whose other events come before it. */
export interface Done {
  readonly _tag: "Done"
  readonly commandId: Id.Id
  readonly expiresAtMillis: number
  readonly userId: UserId
  readonly accountId: AccountId
  readonly atMillis: number
}

/** Everything here follows from outside price, book and time. Prices are in 1e-8 USD, bounds in ticks. */
export interface Priced {
  readonly _tag: "Priced"
  /** Outside hours and while it is stale the oracle price is `internal`: it follows the book (rule 3.4, rule 3.5). */
  readonly source: Teller | "internal" | "stale"
  readonly oracleE8: number
  /** The last price that was told and believed, and when: the oracle price itself, unless it follows the book. */
  readonly toldE8: number
  readonly toldAtMillis: number
  /** So many prices in a row were not believed, counted up to three (rule 3.1). */
  readonly rejections: number
  /** The operator has paused the sources. */
  readonly paused: boolean
  readonly markE8: number
  /** Accounts are valued at this: the mark, or while that is stale (rule 3.5) or nothing is traded (rule 1.7) the last before. */
  readonly freshMarkE8: number
  /** This is the EMA over 150 s of middle - oracle, in 1e-8 USD, signed. */
  readonly premiumE8: number
  /** No buy may be priced above `upper`, no sell below `lower`. */
  readonly lowerTicks: number
  readonly upperTicks: number
  /** No order may be priced outside these bounds of the day. */
  readonly minPriceTicks: number
  readonly maxPriceTicks: number
  /** This share of position and open-interest limits is in force, in basis points: 10,000 while open. */
  readonly limitShareBps: number
  /** The best prices of the book; 0 where a side is empty, and in records of the first shape, which did not tell them. */
  readonly bidTicks: number
  readonly askTicks: number
  /** So many lots are held long, and as many short; 0 in records of the first shapes, which did not tell it. */
  readonly openInterestLots: number
  readonly atMillis: number
}

export interface EpochRaised {
  readonly _tag: "EpochRaised"
  readonly userId: UserId
  readonly traderEpoch: number
  readonly atMillis: number
}

/**
 * Every sample of the premium is this one, from the 5 s mark at `atMillis` on and until the next such event: samples of a
 * book and an outside price that did not change are one event (rule 10.3).
 */
export interface Sampled {
  readonly _tag: "Sampled"
  /** In 1e-10 of the outside price, signed; `null` while none is taken: the market does not trade, the underlier is closed, or the price is stale. */
  readonly premiumE10: number | null
  readonly atMillis: number
}

/**
 * An hour is over, and its positions pay each other (rule 10). This one event, of constant size, concerns every position
 * of the market: whoever keeps one books it with `Funding.book`, at this place in the log.
 */
export interface Funded {
  readonly _tag: "Funded"
  /** In 1e-12 of the value at the mark; longs pay where it is positive. */
  readonly rateE12: number
  readonly markE8: number
  /** Rounding left so much of all payments together, in 1e-6 USD; the market's reserve fund has it. */
  readonly remainder: number
  /** The hour began here, or where several were missed the first of them. */
  readonly fromMillis: number
  /** Its end was not noticed in time, or the price was stale then: nothing is paid for it, and the rate is 0. */
  readonly skipped: boolean
  /** The end of the hour: a whole hour of UTC. */
  readonly atMillis: number
}

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

/** The total quantity at one price; 0 when the level is gone. */
export interface Level {
  readonly side: Side
  readonly priceTicks: number
  readonly quantityLots: number
}
