/** Parameters shared by lists: filters and page. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Schema } from "effect"
import { maxOffset } from "../Offset.ts"
import { Moment, Optional, WholeNumber } from "../Parameter.ts"

/** Filter by symbol. */
export const symbolQuery = { symbol: Optional(Schema.String) }
/** Filter by time; the start is inclusive, the end exclusive. */
export const rangeQuery = { start: Optional(Moment), end: Optional(Moment) }
/** Maximum number of rows, 1 to 1,000. */
export const limitQuery = { limit: Optional(WholeNumber({ minimum: 1, maximum: 1_000 })) }
/** Number of rows to skip; the handler refuses more than `maxOffset` with 400. */
export const offsetQuery = { offset: Optional(WholeNumber({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })) }

/** Member `count` of a list that is read in pages. */
export const ListCount = Schema.Int.annotate({
  description:
    "Total number of matching rows, not only on this page. A value of 10,000 means 10,000 or more, or that counting took too long."
})

/** Default limit, in rows, of a request without `limit`. */
export const defaultLimit = 100

/** Description of a parameter with a time. */
export const moment = { type: "string", format: "date-time", examples: ["2026-03-02T15:00:00Z"] }
export const listParameters = {
  symbol: {
    type: "string",
    description: "Include only this market, in any letter case. Default: all markets.",
    examples: ["GOLD-USD"]
  },
  start: { ...moment, description: "Include rows at or after this time. Default: no bound." },
  end: { ...moment, description: "Include rows before this time. Default: no bound." },
  limit: {
    type: "integer",
    minimum: 1,
    maximum: 1_000,
    default: defaultLimit,
    description: "Maximum number of rows to return."
  },
  offset: {
    type: "integer",
    minimum: 0,
    maximum: maxOffset,
    default: 0,
    description: "Number of rows to skip, counted from the newest."
  },
  client_order_id: {
    type: "string",
    description: "Include only orders with this client order id.",
    examples: ["mm-7-000182"]
  },
  exchange_order_id: {
    type: "string",
    description: "Include only fills of the order with this id.",
    examples: ["8d0b4a579c640f6a"]
  }
}

/** Filter and page of a list with defaults applied; the start is inclusive, the end exclusive. */
export interface ListFilter {
  readonly symbol: MarketSymbol | undefined
  readonly startMillis?: number | undefined
  readonly endMillis?: number | undefined
  readonly limit: number
  readonly offset: number
}

/** Returns a filter's symbol in upper case, or undefined if there is no filter. */
export const symbolFrom = (text: string | undefined): MarketSymbol | undefined =>
  text === undefined ? undefined : MarketSymbol.make(text.toUpperCase())
