/** What every list of an account is asked for: which of its rows, and how many. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Schema } from "effect"
import { maxOffset } from "../Offset.ts"
import { Moment, Optional, WholeNumber } from "../Parameter.ts"

export const symbolQuery = { symbol: Optional(Schema.String) }
export const rangeQuery = { start: Optional(Moment), end: Optional(Moment) }
export const limitQuery = { limit: Optional(WholeNumber({ minimum: 1, maximum: 1_000 })) }
export const offsetQuery = { offset: Optional(WholeNumber({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })) }

/** Of a list that is read page by page. */
export const ListCount = Schema.Int.annotate({
  description:
    "Number of all rows that match, not of this page. 10,000 means 10,000 or more, or that the rows were not counted in time."
})

export const defaultLimit = 100

export const moment = { type: "string", format: "date-time", examples: ["2026-03-02T15:00:00Z"] }
/** What the parameters are, in the description. */
export const listParameters = {
  symbol: {
    type: "string",
    description: "Include only this market, in any letter case. Default: all markets.",
    examples: ["GOLD-USD"]
  },
  start: { ...moment, description: "Include rows at this time and after it. Default: no bound." },
  end: { ...moment, description: "Include rows before this time. Default: no bound." },
  limit: {
    type: "integer",
    minimum: 1,
    maximum: 1_000,
    default: defaultLimit,
    description: "Largest number of rows to return."
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

/** What every list is asked for once what was left out is filled in; the start is included, the end is not. */
export interface ListAsked {
  readonly symbol: MarketSymbol | undefined
  readonly startMillis?: number | undefined
  readonly endMillis?: number | undefined
  readonly limit: number
  readonly offset: number
}

export const symbolAsked = (named: string | undefined): MarketSymbol | undefined =>
  named === undefined ? undefined : MarketSymbol.make(named.toUpperCase())
