/** Commands of the interface whose features this venue does not offer yet: their form is checked, then they are refused. */
import { type Fields } from "../Incoming.ts"
import { type Malformed, outOfRange, wrong } from "../Malformed.ts"
import * as Field from "./Field.ts"

export type NotOffered = AddTwap

/** The answer is an `err` with this code and message. */
interface Refusal {
  readonly code: "InvalidParameter"
  readonly message: string
}

export interface AddTwap extends Refusal {
  readonly _tag: "AddTwap"
}

export const addTwap = (fields: Fields): AddTwap | Malformed => {
  const symbol = Field.symbol(fields)
  if (typeof symbol !== "string") return symbol
  const side = fields["side"]
  if (side !== "BUY" && side !== "SELL") return wrong("side", side, '"BUY" or "SELL"')
  const total = Field.number(fields, "total_quantity")
  if (typeof total !== "number") return total
  const orders = Field.number(fields, "num_orders")
  if (typeof orders !== "number") return orders
  if (!Number.isInteger(orders) || orders < 2) return outOfRange("num_orders", orders, "a whole number from 2 on")
  const interval = Field.number(fields, "order_interval_secs")
  if (typeof interval !== "number") return interval
  if (!Number.isInteger(interval) || interval < 30) {
    return outOfRange("order_interval_secs", interval, "a whole number from 30 on")
  }
  const reduceOnly = Field.truth(fields, "reduce_only")
  if (typeof reduceOnly !== "boolean") return reduceOnly
  const clientTwapId = Field.clientId(fields, "client_twap_id")
  if (typeof clientTwapId !== "string") return clientTwapId
  return { _tag: "AddTwap", code: "InvalidParameter", message: "TWAPs are not offered yet" }
}
