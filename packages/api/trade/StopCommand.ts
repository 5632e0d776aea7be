/** Commands about a stop order, which has an id of its own kind on the wire. */
import type { OrderType, Side } from "@venue/domain/Order"
import type { Fields } from "../Incoming.ts"
import { type Malformed, malformed, wrong } from "../Malformed.ts"
import * as Field from "./Field.ts"

/** It says no symbol. */
export interface CancelStopOrder {
  readonly _tag: "CancelStopOrder"
  readonly stopOrderId: string
}

/** `price` and `quantity` 0 mean unchanged; side and type are `null` where they were left out. */
export interface ModifyStopOrder {
  readonly _tag: "ModifyStopOrder"
  readonly symbol: string
  readonly stopOrderId: string
  readonly side: Side | null
  readonly type: OrderType | null
  readonly price: number
  readonly quantity: number
}

export const cancelStopOrder = (fields: Fields): CancelStopOrder | Malformed => {
  const stopOrderId = Field.id(fields, "stop_order_id")
  return typeof stopOrderId === "string" ? { _tag: "CancelStopOrder", stopOrderId } : stopOrderId
}

export const modifyStopOrder = (fields: Fields): ModifyStopOrder | Malformed => {
  const stopOrderId = Field.id(fields, "stop_order_id")
  if (typeof stopOrderId !== "string") return stopOrderId
  const symbol = Field.symbol(fields)
  if (typeof symbol !== "string") return symbol
  const side = Field.oneOf(sides, fields["side"] ?? null)
  if (side === undefined) return wrong("side", fields["side"], '"BUY" or "SELL", or no such field')
  const type = Field.oneOf(types, fields["order_type"] ?? null)
  if (type === undefined) {
    return wrong("order_type", fields["order_type"], '"TAKE_PROFIT" or "STOP_LOSS", or no such field')
  }
  const price = Field.numberOrZero(fields, "price")
  if (typeof price !== "number") return price
  const quantity = Field.numberOrZero(fields, "quantity")
  if (typeof quantity !== "number") return quantity
  if (fields["price"] === undefined && fields["quantity"] === undefined) {
    return malformed("InvalidJSONFormat", "missing field price: expected price, quantity or both")
  }
  return { _tag: "ModifyStopOrder", symbol, stopOrderId, side, type, price, quantity }
}

const sides = ["BUY", "SELL", null] as const
const types = ["TAKE_PROFIT", "STOP_LOSS", null] as const
