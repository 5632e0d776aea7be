/** `GET /public/trades` and `GET /public/account/{account_id}/trades`: public trades. */
import { type Instrument, priceOf, quantityOf } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Side } from "@venue/domain/Order"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, Rows, SchemaLink, Uuid } from "../Body.ts"
import * as Digits from "../Digits.ts"
import * as Member from "../Member.ts"
import { operation } from "../Operation.ts"
import { described } from "../Parameter.ts"
import { BadRequest, NotFound, ServiceUnavailable, TooManyRequests } from "../Problem.ts"
import { defaultLimit, limitQuery, ListCount, listParameters, offsetQuery, symbolQuery } from "./ListPage.ts"

/** Trade without the accounts that made it. */
export const PublicTrade = Schema.Struct({
  $schema: SchemaLink,
  trade_id: Member.text("Id of the trade, the same as on the market-data socket"),
  time: Moment.annotate({ description: "Time of the trade, ISO 8601 in UTC." }),
  symbol: Member.symbol,
  side: Member.text("Side of the taker: BUY or SELL. In the trades of one account, the side of that account"),
  price: Member.price("Price of the trade"),
  quantity: Member.quantity("Quantity of the trade")
}).annotate({ identifier: "PublicTrade", description: "Trade, without the accounts of the buyer and the seller." })
export type PublicTrade = typeof PublicTrade.Type

/** Response body of `GET /public/trades`. */
export const PublicTradesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(PublicTrade).annotate({ description: "Trades, newest first." }),
  count: ListCount
}).annotate({ identifier: "PublicTradesResponseBody" })

/** Maximum offset in the list of all trades, in rows, because every market is read up to that offset. */
export const maxPublicOffset = 10_000

const query = { ...symbolQuery, ...limitQuery, ...offsetQuery }

export const PublicTradesGroup = HttpApiGroup.make("publicTrades").add(
  HttpApiEndpoint.get("publicTrades", "/public/trades", {
    query,
    success: PublicTradesResponseBody,
    error: [BadRequest, TooManyRequests, ServiceUnavailable]
  })
    .annotateMerge(
      operation(
        "List public trades",
        "Returns the trades of all accounts, newest first, without the account ids. For each symbol, a request costs 1 rate-limit unit for every 1,000 rows of `limit` + `offset`; the total is at least 5 and at most 600 units. Refused with 400 for an unknown symbol or an offset above 10,000. No credentials are needed. This operation is specific to this venue."
      )
    )
    .annotate(
      OpenApi.Transform,
      described({ ...listParameters, offset: { ...listParameters.offset, maximum: maxPublicOffset } })
    ),
  HttpApiEndpoint.get("publicAccountTrades", "/public/account/:account_id/trades", {
    params: {
      account_id: Uuid.annotate({
        description: "Id of an account whose user has a public profile.",
        examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"]
      })
    },
    query,
    success: PublicTradesResponseBody,
    error: [BadRequest, NotFound, TooManyRequests, ServiceUnavailable]
  })
    .annotateMerge(
      operation(
        "List trades of a public account",
        "Returns the trades of an account whose user has a public profile, newest first. A request costs 1 rate-limit unit for every 1,000 rows of `limit` + `offset`, with a minimum of 5 units. Refused with 404 for any other account. No credentials are needed. This operation is specific to this venue."
      )
    )
    .annotate(OpenApi.Transform, described(listParameters))
)

/** Returns a query's page with defaults applied. */
export const publicPage = ({
  limit = defaultLimit,
  offset = 0
}: {
  readonly limit?: number
  readonly offset?: number
}) => ({
  limit,
  offset
})

/** One side of a trade: price in ticks, quantity in lots. */
export interface PublicFill {
  readonly tradeId: string
  readonly atMillis: number
  readonly symbol: MarketSymbol
  readonly side: Side
  readonly price: number
  readonly quantity: number
}

/** Converts a trade to its wire format. */
export const publicTrade = (instrument: Instrument, fill: PublicFill): PublicTrade => ({
  trade_id: fill.tradeId,
  time: Digits.instant(fill.atMillis),
  symbol: fill.symbol,
  side: fill.side,
  price: priceOf(instrument, fill.price),
  quantity: quantityOf(instrument, fill.quantity)
})
