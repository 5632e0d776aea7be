/** Decodes commands about stops, which the wire identifies by `stop_order_id`. */
import type { OrderType, Side } from "@venue/domain/Order"
import type { Fields } from "../Incoming.ts"
import { type Malformed, malformed, wrong } from "../Malformed.ts"
import * as Field from "./Field.ts"

/** Cancel of a stop; the command has no symbol. */
export interface CancelStopOrder {
  readonly _tag: "CancelStopOrder"
  readonly stopOrderId: string
}

/** Modification of a stop. A `price` or `quantity` of 0 means unchanged; `side` and `type` are `null` if absent. */
export interface ModifyStopOrder {
  readonly _tag: "ModifyStopOrder"
  readonly symbol: string
  readonly stopOrderId: string
  readonly side: Side | null
  readonly type: OrderType | null
  readonly price: number
  readonly quantity: number
}

/** Decodes `cancel_stop_order`. */
export const cancelStopOrder = (fields: Fields): CancelStopOrder | Malformed => {
  const stopOrderId = Field.id(fields, "stop_order_id")
  return typeof stopOrderId === "string" ? { _tag: "CancelStopOrder", stopOrderId } : stopOrderId
}

/** Decodes `modify_stop_order`. */
export const modifyStopOrder = (fields: Fields): ModifyStopOrder | Malformed => {
  const stopOrderId = Field.id(fields, "stop_order_id")
  if (typeof stopOrderId !== "string") return stopOrderId
  const symbol = Field.symbol(fields)
  if (typeof symbol !== "string") return symbol
  const side = Field.oneOf(sides, fields["side"] ?? null)
  if (side === undefined) return wrong("side", fields["side"], '"BUY" or "SELL", or no side')
  const type = Field.oneOf(types, fields["order_type"] ?? null)
  if (type === undefined) {
    return wrong("order_type", fields["order_type"], '"TAKE_PROFIT" or "STOP_LOSS", or no order_type')
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
