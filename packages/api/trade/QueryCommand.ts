/** Decodes queries for orders, trades and leverage, and the change of leverage. */
import type { Fields } from "../Incoming.ts"
import type { Malformed } from "../Malformed.ts"
import { maxOffset } from "../Offset.ts"
import * as Field from "./Field.ts"

/** Query for one open order. */
export interface GetOrder {
  readonly _tag: "GetOrder"
  readonly symbol: string
  /** Order id or client order id. */
  readonly orderId: string
}

/** Query for the account's open orders, stops and TWAPs. */
export interface GetUserOrders {
  readonly _tag: "GetUserOrders"
  readonly limit: number
  readonly offset: number
  /** `null` for every symbol. */
  readonly symbol: string | null
}

/** Query for the account's fills; both ends of the time range are inclusive. */
export interface GetUserTrades {
  readonly _tag: "GetUserTrades"
  readonly limit: number
  readonly offset: number
  readonly orderId: string | null
  readonly startMillis: number | null
  readonly endMillis: number | null
}

/** Query for the current leverage in each market. */
export interface GetUserLeverage {
  readonly _tag: "GetUserLeverage"
  readonly limit: number
  readonly offset: number
}

/** Query for the leverage levels that each market offers. */
export interface GetAvailableLeverageLevels {
  readonly _tag: "GetAvailableLeverageLevels"
  readonly limit: number
  readonly offset: number
}

/** Change of leverage in a market; the desk checks that the market offers it. */
export interface SetUserLeverage {
  readonly _tag: "SetUserLeverage"
  readonly symbol: string
  readonly leverage: number
}

/** Decodes `get_order`. */
export const getOrder = (fields: Fields): GetOrder | Malformed => {
  const symbol = Field.symbol(fields)
  if (typeof symbol !== "string") return symbol
  const orderId = Field.id(fields, "order_id")
  return typeof orderId === "string" ? { _tag: "GetOrder", symbol, orderId } : orderId
}

/** Decodes `get_user_orders`. */
export const getUserOrders = (fields: Fields): GetUserOrders | Malformed => {
  const page = readPage(fields)
  if ("_tag" in page) return page
  const symbol = Field.symbolFilter(fields)
  return typeof symbol === "string" || symbol === null ? { _tag: "GetUserOrders", ...page, symbol } : symbol
}

/** Decodes `get_user_trades`. */
export const getUserTrades = (fields: Fields): GetUserTrades | Malformed => {
  const page = readPage(fields)
  if ("_tag" in page) return page
  const orderId = Field.clientId(fields, "order_id")
  if (typeof orderId !== "string") return orderId
  const startMillis = Field.moment(fields, "start_ts")
  if (typeof startMillis === "object" && startMillis !== null) return startMillis
  const endMillis = Field.moment(fields, "end_ts")
  if (typeof endMillis === "object" && endMillis !== null) return endMillis
  return { _tag: "GetUserTrades", ...page, orderId: orderId === "" ? null : orderId, startMillis, endMillis }
}

/** Decodes `get_user_leverage`. */
export const getUserLeverage = (fields: Fields): GetUserLeverage | Malformed => {
  const page = readPage(fields)
  return "_tag" in page ? page : { _tag: "GetUserLeverage", ...page }
}

/** Decodes `get_available_leverage_levels`. */
export const getAvailableLeverageLevels = (fields: Fields): GetAvailableLeverageLevels | Malformed => {
  const page = readPage(fields)
  return "_tag" in page ? page : { _tag: "GetAvailableLeverageLevels", ...page }
}

/** Decodes `set_user_leverage`. */
export const setUserLeverage = (fields: Fields): SetUserLeverage | Malformed => {
  const symbol = Field.symbol(fields)
  if (typeof symbol !== "string") return symbol
  const leverage = Field.number(fields, "leverage")
  return typeof leverage === "number" ? { _tag: "SetUserLeverage", symbol, leverage } : leverage
}

interface Page {
  readonly limit: number
  readonly offset: number
}

const readPage = (fields: Fields): Page | Malformed => {
  const limit = Field.wholeNumber(fields, "limit", 1, pageLimit, pageLimit)
  if (typeof limit !== "number") return limit
  const offset = Field.wholeNumber(fields, "offset", 0, maxOffset, 0)
  return typeof offset === "number" ? { limit, offset } : offset
}

const pageLimit = 1_000
