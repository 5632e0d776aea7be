/** Commands that place, change and end orders. Read by hand: every order of the venue passes here. */
import type { OrderType, Side, TimeInForce } from "@venue/domain/Order"
import type { Fields } from "../Incoming.ts"
import { type Malformed, wrong } from "../Malformed.ts"
import * as Field from "./Field.ts"
import type { CancelTwap } from "./TwapCommand.ts"

/** Prices of the stops that an order brings, as far as something was said of them. */
interface Triggers {
  readonly takeProfit?: number
  readonly stopLoss?: number
}

/** Numbers are the client's own decimals; `price` is 0 for MARKET. */
export interface AddOrder extends Triggers {
  readonly _tag: "AddOrder"
  readonly symbol: string
  readonly side: Side
  readonly type: OrderType
  readonly timeInForce: TimeInForce
  readonly price: number
  readonly quantity: number
  readonly reduceOnly: boolean
  /** Empty when the client gave none. */
  readonly clientOrderId: string
}

/** `price` and `quantity` 0 mean unchanged; so does a stop's price that is left out, and 0 that there is none. */
export interface ModifyOrder extends Triggers {
  readonly _tag: "ModifyOrder"
  readonly symbol: string
  readonly orderId: string
  readonly side: Side
  readonly type: OrderType
  readonly price: number
  readonly quantity: number
  readonly reduceOnly: boolean
}

export interface CancelOrder {
  readonly _tag: "CancelOrder"
  readonly symbol: string
  /** An order id, or a client order id when `byClientOrderId`. */
  readonly orderId: string
  readonly byClientOrderId: boolean
}

/** Of every symbol when `symbol` is `null`. */
export interface CancelAllOrders {
  readonly _tag: "CancelAllOrders"
  readonly symbol: string | null
}

export interface ClosePosition {
  readonly _tag: "ClosePosition"
  readonly symbol: string
  readonly clientOrderId: string
}

/** What it would come to is asked, and it is not placed. */
export interface PreviewOrder {
  readonly _tag: "PreviewOrder"
  readonly order: AddOrder | ClosePosition
}

export const addOrder = (fields: Fields): AddOrder | Malformed => {
  const symbol = Field.symbol(fields)
  if (typeof symbol !== "string") return symbol
  const side = fields["side"]
  if (!isSide(side)) return wrong("side", side, sides)
  const type = fields["order_type"]
  if (!isType(type)) return wrong("order_type", type, types)
  const timeInForce = fields["order_time_in_force"]
  if (!isTimeInForce(timeInForce)) return wrong("order_time_in_force", timeInForce, timesInForce)
  const quantity = Field.number(fields, "quantity")
  if (typeof quantity !== "number") return quantity
  const price = type === "MARKET" ? Field.numberOrZero(fields, "price") : Field.number(fields, "price")
  if (typeof price !== "number") return price
  const reduceOnly = (fields["reduce_only"] ?? null) === null ? false : Field.truth(fields, "reduce_only")
  if (typeof reduceOnly !== "boolean") return reduceOnly
  const clientOrderId = Field.clientId(fields, "client_order_id")
  if (typeof clientOrderId !== "string") return clientOrderId
  const triggers = triggersOf(fields, (price) => price !== 0)
  if ("_tag" in triggers) return triggers
  return {
    _tag: "AddOrder",
    symbol,
    side,
    type,
    timeInForce,
    price: type === "MARKET" ? 0 : price,
    quantity,
    reduceOnly,
    clientOrderId,
    ...triggers
  }
}

/** Of the two, a close is what says that it is one. */
export const previewOrder = (fields: Fields): PreviewOrder | Malformed => {
  const order = fields["close_position"] === true ? closePosition(fields) : addOrder(fields)
  return order._tag === "Malformed" ? order : { _tag: "PreviewOrder", order }
}

export const modifyOrder = (fields: Fields): ModifyOrder | Malformed => {
  const symbol = Field.symbol(fields)
  if (typeof symbol !== "string") return symbol
  const orderId = Field.id(fields, "order_id")
  if (typeof orderId !== "string") return orderId
  const side = fields["side"]
  if (!isSide(side)) return wrong("side", side, sides)
  const type = fields["order_type"]
  if (!isType(type)) return wrong("order_type", type, types)
  const reduceOnly = Field.truth(fields, "reduce_only")
  if (typeof reduceOnly !== "boolean") return reduceOnly
  const price = Field.numberOrZero(fields, "price")
  if (typeof price !== "number") return price
  const quantity = Field.numberOrZero(fields, "quantity")
  if (typeof quantity !== "number") return quantity
  const triggers = triggersOf(fields, () => true)
  if ("_tag" in triggers) return triggers
  return {
    _tag: "ModifyOrder",
    symbol,
    orderId,
    side,
    type,
    price,
    quantity,
    reduceOnly,
    ...triggers
  }
}

/** The form of 2025 has a client id in `client_order_id` and may leave the kind out. */
export const cancelOrder = (fields: Fields): CancelOrder | CancelTwap | Malformed => {
  const symbol = Field.symbol(fields)
  if (typeof symbol !== "string") return symbol
  const given = fields["order_id"]
  const ofClient = (given === undefined || given === null || given === "") && fields["client_order_id"] !== undefined
  const kind = fields["cancel_order_id_type"] ?? (ofClient ? "client_order_id" : undefined)
  if (kind !== "order_id" && kind !== "client_order_id" && kind !== "twap_id" && kind !== "client_twap_id") {
    return wrong("cancel_order_id_type", kind, '"order_id", "client_order_id", "twap_id" or "client_twap_id"')
  }
  const id = Field.id(fields, ofClient && kind === "client_order_id" ? "client_order_id" : "order_id")
  if (typeof id !== "string") return id
  return kind === "order_id" || kind === "client_order_id"
    ? { _tag: "CancelOrder", symbol, orderId: id, byClientOrderId: kind === "client_order_id" }
    : { _tag: "CancelTwap", symbol, twapId: id, byClientTwapId: kind === "client_twap_id" }
}

export const cancelAllOrders = (fields: Fields): CancelAllOrders | Malformed => {
  const symbol = Field.symbolFilter(fields)
  return typeof symbol === "string" || symbol === null ? { _tag: "CancelAllOrders", symbol } : symbol
}

export const closePosition = (fields: Fields): ClosePosition | Malformed => {
  const symbol = Field.symbol(fields)
  if (typeof symbol !== "string") return symbol
  const clientOrderId = Field.clientId(fields, "client_order_id")
  return typeof clientOrderId === "string" ? { _tag: "ClosePosition", symbol, clientOrderId } : clientOrderId
}

/** A new order without a stop says nothing of it, where a modify says 0. */
const triggersOf = (fields: Fields, isSaid: (price: number) => boolean): Triggers | Malformed => {
  const takeProfit = Field.trigger(fields, "take_profit")
  if (typeof takeProfit === "object") return takeProfit
  const stopLoss = Field.trigger(fields, "stop_loss")
  if (typeof stopLoss === "object") return stopLoss
  return {
    ...(takeProfit === undefined || !isSaid(takeProfit) ? {} : { takeProfit }),
    ...(stopLoss === undefined || !isSaid(stopLoss) ? {} : { stopLoss })
  }
}

const isSide = (value: unknown): value is Side => value === "BUY" || value === "SELL"
const sides = '"BUY" or "SELL"'

const isType = (value: unknown): value is OrderType =>
  value === "LIMIT" ||
  value === "MARKET" ||
  value === "ALO" ||
  value === "TAKE_PROFIT" ||
  value === "STOP_LOSS" ||
  value === "STOP_MARKET"
const types = '"LIMIT", "MARKET", "ALO", "TAKE_PROFIT" or "STOP_LOSS"'

const isTimeInForce = (value: unknown): value is TimeInForce => value === "GTC" || value === "IOC" || value === "FOK"
const timesInForce = '"GTC", "IOC" or "FOK"'
