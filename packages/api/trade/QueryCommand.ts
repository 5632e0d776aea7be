/** Commands that ask: orders, trades and leverage. */
import type { Fields } from "../Incoming.ts"
import type { Malformed } from "../Malformed.ts"
import { maxOffset } from "../Offset.ts"
import * as Field from "./Field.ts"

export interface GetOrder {
  readonly _tag: "GetOrder"
  readonly symbol: string
  /** An order id, or a client order id. */
  readonly orderId: string
}

export interface GetUserOrders {
  readonly _tag: "GetUserOrders"
  readonly limit: number
  readonly offset: number
  /** `null` for every symbol. */
  readonly symbol: string | null
}

/** Both ends of the time window are inclusive. */
export interface GetUserTrades {
  readonly _tag: "GetUserTrades"
  readonly limit: number
  readonly offset: number
  readonly orderId: string | null
  readonly startMillis: number | null
  readonly endMillis: number | null
}

export interface GetUserLeverage {
  readonly _tag: "GetUserLeverage"
  readonly limit: number
  readonly offset: number
}

export interface GetAvailableLeverageLevels {
  readonly _tag: "GetAvailableLeverageLevels"
  readonly limit: number
  readonly offset: number
}

/** Whether the number is a level of the symbol is for the venue to say. */
export interface SetUserLeverage {
  readonly _tag: "SetUserLeverage"
  readonly symbol: string
  readonly leverage: number
}

export const getOrder = (fields: Fields): GetOrder | Malformed => {
  const symbol = Field.symbol(fields)
  if (typeof symbol !== "string") return symbol
  const orderId = Field.id(fields, "order_id")
  return typeof orderId === "string" ? { _tag: "GetOrder", symbol, orderId } : orderId
}

export const getUserOrders = (fields: Fields): GetUserOrders | Malformed => {
  const page = readPage(fields)
  if ("_tag" in page) return page
  const symbol = Field.symbolFilter(fields)
  return typeof symbol === "string" || symbol === null ? { _tag: "GetUserOrders", ...page, symbol } : symbol
}

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

export const getUserLeverage = (fields: Fields): GetUserLeverage | Malformed => {
  const page = readPage(fields)
  return "_tag" in page ? page : { _tag: "GetUserLeverage", ...page }
}

export const getAvailableLeverageLevels = (fields: Fields): GetAvailableLeverageLevels | Malformed => {
  const page = readPage(fields)
  return "_tag" in page ? page : { _tag: "GetAvailableLeverageLevels", ...page }
}

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
