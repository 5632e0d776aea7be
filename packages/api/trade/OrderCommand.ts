/** Decodes commands that place, modify and cancel orders; by hand for speed, because every order is decoded here. */
import type { OrderType, Side, TimeInForce } from "@venue/domain/Order"
import type { Fields } from "../Incoming.ts"
import { type Malformed, wrong } from "../Malformed.ts"
import * as Field from "./Field.ts"
import type { CancelTwap } from "./TwapCommand.ts"

/** Prices of attached stops, in USD per base unit; absent if not given. */
interface Triggers {
  readonly takeProfit?: number
  readonly stopLoss?: number
}

/** Placement of an order, with prices in USD per base unit and quantities in base units; `price` is 0 for MARKET. */
export interface AddOrder extends Triggers {
  readonly _tag: "AddOrder"
  readonly symbol: string
  readonly side: Side
  readonly type: OrderType
  readonly timeInForce: TimeInForce
  readonly price: number
  readonly quantity: number
  readonly reduceOnly: boolean
  /** "" if the client sent no id. */
  readonly clientOrderId: string
}

/**
 * Modification of an order, in USD per base unit and base units. A `price` or `quantity` of 0 means unchanged. An
 * absent stop price means unchanged, and 0 removes the stop.
 */
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

/** Cancel of an order, or of all orders with a client order id. */
export interface CancelOrder {
  readonly _tag: "CancelOrder"
  readonly symbol: string
  /** Order id, or client order id if `byClientOrderId`. */
  readonly orderId: string
  readonly byClientOrderId: boolean
}

/** Cancel of all of the account's open orders and stops; in every market if `symbol` is `null`. */
export interface CancelAllOrders {
  readonly _tag: "CancelAllOrders"
  readonly symbol: string | null
}

/** Close of the whole position in a market. */
export interface ClosePosition {
  readonly _tag: "ClosePosition"
  readonly symbol: string
  readonly clientOrderId: string
}

/** Preview of an order or a close; nothing is placed. */
export interface PreviewOrder {
  readonly _tag: "PreviewOrder"
  readonly order: AddOrder | ClosePosition
}

/** Decodes `add_order`. */
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

/** Decodes `preview_order`: a close if `close_position` is true, otherwise an order. */
export const previewOrder = (fields: Fields): PreviewOrder | Malformed => {
  const order = fields["close_position"] === true ? closePosition(fields) : addOrder(fields)
  return order._tag === "Malformed" ? order : { _tag: "PreviewOrder", order }
}

/** Decodes `modify_order`. */
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

/** Decodes `cancel_order`; also the form of 2025 with a `client_order_id` and without a `cancel_order_id_type`. */
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

/** Decodes `cancel_all_orders`. */
export const cancelAllOrders = (fields: Fields): CancelAllOrders | Malformed => {
  const symbol = Field.symbolFilter(fields)
  return typeof symbol === "string" || symbol === null ? { _tag: "CancelAllOrders", symbol } : symbol
}

/** Decodes `close_position`. */
export const closePosition = (fields: Fields): ClosePosition | Malformed => {
  const symbol = Field.symbol(fields)
  if (typeof symbol !== "string") return symbol
  const clientOrderId = Field.clientId(fields, "client_order_id")
  return typeof clientOrderId === "string" ? { _tag: "ClosePosition", symbol, clientOrderId } : clientOrderId
}

/** Decodes attached stop prices, and omits prices that `isGiven` rejects: only a modify uses 0, to remove a stop. */
const triggersOf = (fields: Fields, isGiven: (price: number) => boolean): Triggers | Malformed => {
  const takeProfit = Field.trigger(fields, "take_profit")
  if (typeof takeProfit === "object") return takeProfit
  const stopLoss = Field.trigger(fields, "stop_loss")
  if (typeof stopLoss === "object") return stopLoss
  return {
    ...(takeProfit === undefined || !isGiven(takeProfit) ? {} : { takeProfit }),
    ...(stopLoss === undefined || !isGiven(stopLoss) ? {} : { stopLoss })
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
