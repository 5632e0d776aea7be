/** An order: what it is, what may be asked of it before it is in ticks and lots, and how it ends. */
import { Schema } from "effect"
import { AccountId } from "./AccountId.ts"
import * as Id from "./Id.ts"
import { MarketSymbol } from "./MarketSymbol.ts"
import { OrderId } from "./OrderId.ts"
import { UserId } from "./UserId.ts"

export const Side = Schema.Literals(["BUY", "SELL"])
export type Side = typeof Side.Type

/** `TAKE_PROFIT` and `STOP_LOSS` are stops; once the mark has reached its price, a stop is a `STOP_MARKET` order. */
export const OrderType = Schema.Literals(["LIMIT", "MARKET", "ALO", "TAKE_PROFIT", "STOP_LOSS", "STOP_MARKET"])
export type OrderType = typeof OrderType.Type

export const TimeInForce = Schema.Literals(["GTC", "IOC", "FOK"])
export type TimeInForce = typeof TimeInForce.Type

/** Who wanted the order: its user, by a placement, a close, a TWAP or a stop, or the venue. */
export const OrderOrigin = Schema.Literals([
  "USER",
  "CLOSE_POSITION",
  "TWAP",
  "STOP",
  "LIQUIDATION",
  "ADL",
  "SETTLEMENT"
])
export type OrderOrigin = typeof OrderOrigin.Type

/** The stops that an order brings with it, made of what it fills; a price of 0 is none. */
export const Bracket = Schema.Struct({
  takeProfitTicks: Schema.Number,
  stopLossTicks: Schema.Number,
  /** What its stops fill pays this rate. */
  takerRate: Schema.Number
})
export type Bracket = typeof Bracket.Type

/** Every recorded event carries an order like this: whole, so that whoever reads the event needs no book. */
export const Order = Schema.Struct({
  /** The id of the command that placed it. */
  orderId: OrderId,
  userId: UserId,
  accountId: AccountId,
  side: Side,
  type: OrderType,
  timeInForce: TimeInForce,
  /** The price is in ticks, and 0 for MARKET. Of a stop it is the one that the mark has to reach. */
  priceTicks: Schema.Number,
  /** The total that was asked for, in lots. */
  quantityLots: Schema.Number,
  /** What is not yet filled, in lots. */
  remainingLots: Schema.Number,
  reduceOnly: Schema.Boolean,
  /** Empty when the client gave none. */
  clientOrderId: Schema.String,
  origin: OrderOrigin,
  /** Builder code of the connection; empty when there is none. */
  builderCode: Schema.String,
  /** The order was modified once, or cut by its market. */
  modified: Schema.Boolean,
  /** When it was placed, modified, cut or filled last; how it ended does not count. */
  updatedAtMillis: Schema.Number,
  /** Most orders have none. */
  bracket: Schema.optionalKey(Bracket)
})
export type Order = typeof Order.Type

/**
 * Why all orders of an account are cancelled: it was asked for, a connection that had armed it was lost or its dead-man
 * switch fired, or the account is in liquidation.
 */
export const CancelCause = Schema.Literals(["REQUEST", "DISCONNECT", "LIQUIDATION"])
export type CancelCause = typeof CancelCause.Type

/** A cancel of all orders spares so many at most: an account may have fewer open in one market. */
export const maxSpared = 1_024

/** Orders that the cancel after a lost connection or a dead-man switch spares: placed or modified after that. */
export const Spared = Schema.Array(OrderId).check(Schema.isMaxLength(maxSpared))

/** How an order leaves the book without being filled. */
export const EndStatus = Schema.Literals(["CANCELLED", "CANCELLED_STP", "IOC_CANCELLED", "IOC_PARTIALLY_FILLED"])
export type EndStatus = typeof EndStatus.Type

const envelope = {
  /** Chosen once at the edge; a repeat changes nothing. */
  commandId: Id.schema,
  /** Market time after which the command is refused instead of done. */
  expiresAtMillis: Schema.Number,
  accountId: AccountId,
  symbol: MarketSymbol
}

/** Decimals are the client's own JSON numbers; the desk turns them into ticks and lots or a refusal. */
export const PlaceOrder = Schema.TaggedStruct("PlaceOrder", {
  ...envelope,
  side: Side,
  type: OrderType,
  timeInForce: TimeInForce,
  price: Schema.Number,
  quantity: Schema.Number,
  reduceOnly: Schema.Boolean,
  clientOrderId: Schema.String,
  builderCode: Schema.String,
  /** Prices of the stops that it brings; left out where there is none. */
  takeProfit: Schema.optionalKey(Schema.Number),
  stopLoss: Schema.optionalKey(Schema.Number)
})
export type PlaceOrder = typeof PlaceOrder.Type

/** `price` and `quantity` 0 mean unchanged; `quantity` is the new total. */
export const ModifyOrder = Schema.TaggedStruct("ModifyOrder", {
  ...envelope,
  /** The id stands as the client wrote it. */
  orderId: Schema.String,
  side: Side,
  type: OrderType,
  price: Schema.Number,
  quantity: Schema.Number,
  reduceOnly: Schema.Boolean,
  /** Left out they are unchanged, and 0 is none. */
  takeProfit: Schema.optionalKey(Schema.Number),
  stopLoss: Schema.optionalKey(Schema.Number)
})
export type ModifyOrder = typeof ModifyOrder.Type

export const CancelOrder = Schema.TaggedStruct("CancelOrder", {
  ...envelope,
  /** This is an order id, or a client order id when `byClientOrderId`. */
  orderId: Schema.String,
  byClientOrderId: Schema.Boolean
})
export type CancelOrder = typeof CancelOrder.Type

/** What is named ends in its trader's journal first. */
export const CancelTwap = Schema.TaggedStruct("CancelTwap", {
  ...envelope,
  /** This is a TWAP id, or a client TWAP id when `byClientTwapId`, of which there may be several. */
  twapId: Schema.String,
  byClientTwapId: Schema.Boolean
})
export type CancelTwap = typeof CancelTwap.Type

/** It is for one symbol; the desk sends one to each market the account has joined. */
export const CancelAllOrders = Schema.TaggedStruct("CancelAllOrders", {
  ...envelope,
  cause: CancelCause,
  /** These stay where a connection was lost, or a dead-man switch fired; left out where there are none. */
  except: Schema.optionalKey(Spared)
})
export type CancelAllOrders = typeof CancelAllOrders.Type

export const ClosePosition = Schema.TaggedStruct("ClosePosition", {
  ...envelope,
  clientOrderId: Schema.String,
  builderCode: Schema.String
})
export type ClosePosition = typeof ClosePosition.Type

/** Its desk knows the stop's symbol, so that here it is empty. */
export const CancelStop = Schema.TaggedStruct("CancelStop", { ...envelope, orderId: Schema.String })
export type CancelStop = typeof CancelStop.Type

/** `price` and `quantity` 0 mean unchanged; what is not `null` must be as it is. */
export const ModifyStop = Schema.TaggedStruct("ModifyStop", {
  ...envelope,
  orderId: Schema.String,
  side: Schema.NullOr(Side),
  type: Schema.NullOr(OrderType),
  price: Schema.Number,
  quantity: Schema.Number
})
export type ModifyStop = typeof ModifyStop.Type

/** What is asked about a stop is asked about the order of that id once the desk has found it. */
export const StopRequest = Schema.Union([CancelStop, ModifyStop])
export type StopRequest = typeof StopRequest.Type

export const OrderRequest = Schema.Union([
  PlaceOrder,
  ModifyOrder,
  CancelOrder,
  CancelTwap,
  CancelAllOrders,
  ClosePosition
])
export type OrderRequest = typeof OrderRequest.Type
