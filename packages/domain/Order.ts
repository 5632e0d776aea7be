/** Orders, order requests with decimal values as the client sent them, and final statuses of orders. */
import { Schema } from "effect"
import { AccountId } from "./AccountId.ts"
import * as Id from "./Id.ts"
import { MarketSymbol } from "./MarketSymbol.ts"
import { OrderId } from "./OrderId.ts"
import { UserId } from "./UserId.ts"

/** Side of an order. */
export const Side = Schema.Literals(["BUY", "SELL"])
export type Side = typeof Side.Type

/** Type of an order. `TAKE_PROFIT` and `STOP_LOSS` are stops; a stop that fired is a `STOP_MARKET` order. */
export const OrderType = Schema.Literals(["LIMIT", "MARKET", "ALO", "TAKE_PROFIT", "STOP_LOSS", "STOP_MARKET"])
export type OrderType = typeof OrderType.Type

/** Time in force of an order. */
export const TimeInForce = Schema.Literals(["GTC", "IOC", "FOK"])
export type TimeInForce = typeof TimeInForce.Type

/** Origin of an order: its user (by a placement, a close, a TWAP or a stop) or the venue. */
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

/** Stops attached to an order, created from its fills; price 0 means no stop (rule 15.8). */
export const Bracket = Schema.Struct({
  takeProfitTicks: Schema.Number,
  stopLossTicks: Schema.Number,
  /** Taker rate for fills of the attached stops, in 1e-8 of notional. */
  takerRate: Schema.Number
})
export type Bracket = typeof Bracket.Type

/** State of an order. Every recorded event contains the whole state, so that a reader of the log needs no book. */
export const Order = Schema.Struct({
  /** Id of the command that placed the order. */
  orderId: OrderId,
  userId: UserId,
  accountId: AccountId,
  side: Side,
  type: OrderType,
  timeInForce: TimeInForce,
  /** Price in ticks; 0 for MARKET, the trigger price for a stop. */
  priceTicks: Schema.Number,
  /** Total quantity of the request, in lots. */
  quantityLots: Schema.Number,
  remainingLots: Schema.Number,
  reduceOnly: Schema.Boolean,
  /** Client order id; empty if the client sent none. */
  clientOrderId: Schema.String,
  origin: OrderOrigin,
  /** Builder code of the connection; empty without a builder code. */
  builderCode: Schema.String,
  /** True after a modify, or after the market reduced the order's quantity. */
  modified: Schema.Boolean,
  /**
   * Time at which the order was last placed, modified, reduced or filled. The end of the order does not update this
   * time.
   */
  updatedAtMillis: Schema.Number,
  /** Absent without attached stops. */
  bracket: Schema.optionalKey(Bracket)
})
export type Order = typeof Order.Type

/**
 * Cause of a cancel of all orders. `DISCONNECT`: a connection with cancel on disconnect was lost, or a dead-man
 * switch fired.
 */
export const CancelCause = Schema.Literals(["REQUEST", "DISCONNECT", "LIQUIDATION"])
export type CancelCause = typeof CancelCause.Type

/**
 * Maximum number of orders that a cancel of all orders spares; higher than an account's open-order limit in one
 * market.
 */
export const maxSpared = 1_024

/** Orders that a `DISCONNECT` cancel spares: placed or modified after the connection was lost or the switch fired. */
export const Spared = Schema.Array(OrderId).check(Schema.isMaxLength(maxSpared))

/** Final status of an order that leaves the book before it is filled completely. */
export const EndStatus = Schema.Literals(["CANCELLED", "CANCELLED_STP", "IOC_CANCELLED", "IOC_PARTIALLY_FILLED"])
export type EndStatus = typeof EndStatus.Type

const envelope = {
  /** Assigned once by the gateway; a repeat with the same id has no effect. */
  commandId: Id.schema,
  /** Market time after which the command is refused instead of executed. */
  expiresAtMillis: Schema.Number,
  accountId: AccountId,
  symbol: MarketSymbol
}

/** Request for a new order. The desk converts the client's decimals to ticks and lots, or refuses the request. */
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
  /** Trigger prices of the attached stops; absent without attached stops. */
  takeProfit: Schema.optionalKey(Schema.Number),
  stopLoss: Schema.optionalKey(Schema.Number)
})
export type PlaceOrder = typeof PlaceOrder.Type

/** Request to modify an order. A `price` or `quantity` of 0 means unchanged; `quantity` is the new total. */
export const ModifyOrder = Schema.TaggedStruct("ModifyOrder", {
  ...envelope,
  /** Order id as the client wrote it. */
  orderId: Schema.String,
  side: Side,
  type: OrderType,
  price: Schema.Number,
  quantity: Schema.Number,
  reduceOnly: Schema.Boolean,
  /** Trigger prices of the attached stops: absent means unchanged, 0 removes the stop. */
  takeProfit: Schema.optionalKey(Schema.Number),
  stopLoss: Schema.optionalKey(Schema.Number)
})
export type ModifyOrder = typeof ModifyOrder.Type

/** Request to cancel one order, or all orders with a client order id. */
export const CancelOrder = Schema.TaggedStruct("CancelOrder", {
  ...envelope,
  /** Order id, or client order id if `byClientOrderId`. */
  orderId: Schema.String,
  byClientOrderId: Schema.Boolean
})
export type CancelOrder = typeof CancelOrder.Type

/** Request to cancel TWAPs. The trader's journal records their end before the market receives the request. */
export const CancelTwap = Schema.TaggedStruct("CancelTwap", {
  ...envelope,
  /** TWAP id. If `byClientTwapId` is true, a client TWAP id, which several TWAPs can share. */
  twapId: Schema.String,
  byClientTwapId: Schema.Boolean
})
export type CancelTwap = typeof CancelTwap.Type

/** Request to cancel all orders of one symbol; the desk sends one to each market that the account has joined. */
export const CancelAllOrders = Schema.TaggedStruct("CancelAllOrders", {
  ...envelope,
  cause: CancelCause,
  /** Orders spared by the cause `DISCONNECT`; absent if no order is spared. */
  except: Schema.optionalKey(Spared)
})
export type CancelAllOrders = typeof CancelAllOrders.Type

/** Request to close the account's position in one symbol. */
export const ClosePosition = Schema.TaggedStruct("ClosePosition", {
  ...envelope,
  clientOrderId: Schema.String,
  builderCode: Schema.String
})
export type ClosePosition = typeof ClosePosition.Type

/** Request to cancel a stop. `symbol` is empty: the desk looks it up by the order id. */
export const CancelStop = Schema.TaggedStruct("CancelStop", { ...envelope, orderId: Schema.String })
export type CancelStop = typeof CancelStop.Type

/**
 * Request to modify a stop. A `price` or `quantity` of 0 means unchanged; a non-null side or type must match the
 * stop.
 */
export const ModifyStop = Schema.TaggedStruct("ModifyStop", {
  ...envelope,
  orderId: Schema.String,
  side: Schema.NullOr(Side),
  type: Schema.NullOr(OrderType),
  price: Schema.Number,
  quantity: Schema.Number
})
export type ModifyStop = typeof ModifyStop.Type

/** Requests about a stop. The desk converts each into a request about the order with the same id. */
export const StopRequest = Schema.Union([CancelStop, ModifyStop])
export type StopRequest = typeof StopRequest.Type

/** Requests about orders. */
export const OrderRequest = Schema.Union([
  PlaceOrder,
  ModifyOrder,
  CancelOrder,
  CancelTwap,
  CancelAllOrders,
  ClosePosition
])
export type OrderRequest = typeof OrderRequest.Type
