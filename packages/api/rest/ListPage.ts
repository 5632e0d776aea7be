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
  description: "Number of all rows that match, not of this page; at most 10,000, which then means 10,000 or more."
})

export const defaultLimit = 100

export const moment = { type: "string", format: "date-time" }
/** What the parameters are, in the description. */
export const listParameters = {
  start: moment,
  end: moment,
  limit: { type: "integer", minimum: 1, maximum: 1_000, default: defaultLimit },
  offset: { type: "integer", minimum: 0, maximum: maxOffset, default: 0 }
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
