/** `GET /settlement-calendar` and `GET /settlement-prices`: the futures behind prices, and what they came to each day. */
import { dateOf, dayMillis, dayOf } from "@venue/domain/Day"
import { decimalOfUnits } from "@venue/domain/Decimal"
import { type ActiveFuture, ratioScale, spotToFutureRatio } from "@venue/domain/Futures"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Body from "../Body.ts"
import { memberName } from "../Brand.ts"
import { instant } from "../Digits.ts"
import { described, Moment, Optional, WholeNumber } from "../Parameter.ts"
import { BadRequest, NotFound, ServiceUnavailable } from "../Problem.ts"
import { ListCount } from "./ListPage.ts"

/** The symbol's member carries the operator's prefix: `settlementCalendarEntry` names it. */
export const SettlementCalendarEntry = Schema.Struct({
  $schema: Body.SchemaLink,
  expiration: Body.Moment,
  active_until: Body.Moment,
  future_symbol: Schema.String,
  svc_symbol: Schema.String
}).annotate({ identifier: "SettlementCalendarEntry" })

export const SettlementPrice = Schema.Struct({
  $schema: Body.SchemaLink,
  symbol: Schema.String,
  future_symbol: Schema.String,
  future_settlement_price: Schema.Finite,
  spot_settlement_price: Schema.Finite,
  asof: Schema.String.annotate({ format: "date" }),
  inserted_at: Body.Moment,
  spot_to_future_ratio: Schema.Finite
}).annotate({ identifier: "SettlementPrice" })
export type SettlementPrice = typeof SettlementPrice.Type

export const SettlementPricesResponseBody = Schema.Struct({
  $schema: Body.SchemaLink,
  data: Body.Rows(SettlementPrice),
  /** Rows in this answer, not of all. */
  count: ListCount
}).annotate({ identifier: "SettlementPricesResponseBody" })

const PricesQuery = {
  symbol: Optional(Schema.String),
  start: Optional(Moment),
  end: Optional(Moment),
  limit: Optional(WholeNumber({ minimum: 1, maximum: 1_000 }))
}
const defaultLimit = 100

const cached = { "cache-control": Schema.String }
const moment = { type: "string", format: "date-time" }

export const FuturesGroup = HttpApiGroup.make("futures")
  .add(
    HttpApiEndpoint.get("settlementCalendar", "/settlement-calendar", {
      query: { symbol: Schema.NonEmptyString, time: Optional(Moment) },
      success: HttpApiSchema.WithHeaders(SettlementCalendarEntry, cached),
      error: [NotFound, ServiceUnavailable]
    }).annotate(OpenApi.Transform, described({ time: moment }))
  )
  .add(
    HttpApiEndpoint.get("settlementPrices", "/settlement-prices", {
      query: PricesQuery,
      success: HttpApiSchema.WithHeaders(SettlementPricesResponseBody, cached),
      error: [BadRequest, ServiceUnavailable]
    }).annotate(
      OpenApi.Transform,
      described({
        start: moment,
        end: moment,
        limit: { type: "integer", minimum: 1, maximum: 1_000, default: defaultLimit }
      })
    )
  )

export const settlementCalendarEntry = (
  brand: string,
  symbol: string,
  { activeUntilMillis, expirationMillis, futureSymbol }: ActiveFuture
): Readonly<Record<string, string>> => ({
  expiration: instant(expirationMillis),
  active_until: instant(activeUntilMillis),
  future_symbol: futureSymbol,
  [memberName(brand, "svc_symbol")]: symbol
})

/** What was asked, with the defaults of what was not. A day counts as its first instant, UTC. */
export const settlementsAsked = (query: Schema.Struct<typeof PricesQuery>["Type"]) => ({
  symbol: query.symbol === undefined ? undefined : MarketSymbol.make(query.symbol.toUpperCase()),
  startDay: firstDayFrom(query.start),
  endDay: firstDayFrom(query.end),
  limit: query.limit ?? defaultLimit
})

/** Prices in 1e-8 USD. */
export const settlementPrice = (settlement: {
  readonly symbol: string
  readonly futureSymbol: string
  readonly settlementE8: number
  readonly officialCloseE8: number
  readonly day: string
  readonly recordedAtMillis: number
}): SettlementPrice => ({
  symbol: settlement.symbol,
  future_symbol: settlement.futureSymbol,
  future_settlement_price: decimalOfUnits(settlement.settlementE8),
  spot_settlement_price: decimalOfUnits(settlement.officialCloseE8),
  asof: settlement.day,
  inserted_at: instant(settlement.recordedAtMillis),
  spot_to_future_ratio: spotToFutureRatio(settlement.officialCloseE8, settlement.settlementE8) / ratioScale
})

const firstDayFrom = (millis: number | undefined): string | undefined =>
  millis === undefined ? undefined : dateOf(Math.min(Math.ceil(millis / dayMillis), lastDay))

/** Later ones are written with more digits. */
const lastDay = dayOf(Date.UTC(9_999, 11, 31))
