/** Commands about TWAPs: decodes the start, and defines the cancel. */
import type { Side } from "@venue/domain/Order"
import type { Fields } from "../Incoming.ts"
import { type Malformed, outOfRange, wrong } from "../Malformed.ts"
import * as Field from "./Field.ts"

/** Start of a TWAP, with prices in USD per base unit and quantities in base units. */
export interface AddTwap {
  readonly _tag: "AddTwap"
  readonly symbol: string
  readonly side: Side
  readonly totalQuantity: number
  readonly slices: number
  readonly intervalSeconds: number
  readonly reduceOnly: boolean
  /** "" if the client sent no id. */
  readonly clientTwapId: string
  /** Unix milliseconds; 0 for an immediate start. */
  readonly startMillis: number
  /** 0 for no limit. */
  readonly worstPrice: number
}

/** Cancel of a TWAP. */
export interface CancelTwap {
  readonly _tag: "CancelTwap"
  readonly symbol: string
  /** TWAP id, or client TWAP id if `byClientTwapId`. */
  readonly twapId: string
  readonly byClientTwapId: boolean
}

/** Decodes `add_twap`. */
export const addTwap = (fields: Fields): AddTwap | Malformed => {
  const symbol = Field.symbol(fields)
  if (typeof symbol !== "string") return symbol
  const side = fields["side"]
  if (side !== "BUY" && side !== "SELL") return wrong("side", side, '"BUY" or "SELL"')
  const totalQuantity = Field.number(fields, "total_quantity")
  if (typeof totalQuantity !== "number") return totalQuantity
  const slices = from(fields, "num_orders", 2)
  if (typeof slices !== "number") return slices
  const intervalSeconds = from(fields, "order_interval_secs", 30)
  if (typeof intervalSeconds !== "number") return intervalSeconds
  const reduceOnly = Field.truth(fields, "reduce_only")
  if (typeof reduceOnly !== "boolean") return reduceOnly
  const clientTwapId = Field.clientId(fields, "client_twap_id")
  if (typeof clientTwapId !== "string") return clientTwapId
  const startMillis = Field.moment(fields, "start_time")
  if (typeof startMillis === "object" && startMillis !== null) return startMillis
  const worstPrice = Field.trigger(fields, "worst_price")
  if (typeof worstPrice === "object") return worstPrice
  return {
    _tag: "AddTwap",
    symbol,
    side,
    totalQuantity,
    slices,
    intervalSeconds,
    reduceOnly,
    clientTwapId,
    startMillis: startMillis ?? 0,
    worstPrice: worstPrice ?? 0
  }
}

/** Decodes a required whole number of at least `least`. */
const from = (fields: Fields, name: string, least: number): number | Malformed => {
  const value = Field.number(fields, name)
  if (typeof value !== "number" || (Number.isSafeInteger(value) && value >= least)) return value
  return outOfRange(name, value, `a whole number of at least ${least}`)
}
