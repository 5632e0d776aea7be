/** `GET /settlement-calendar` and `GET /settlement-prices`: futures that price markets, and their daily settlements. */
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
import { operation } from "../Operation.ts"

/** Future that prices a market; `settlementCalendarEntry` gives `svc_symbol` the operator's prefix. */
export const SettlementCalendarEntry = Schema.Struct({
  $schema: Body.SchemaLink,
  expiration: Body.Moment.annotate({ description: "Expiration of the future, ISO 8601 in UTC." }),
  active_until: Body.Moment.annotate({
    description: "Time until which the oracle uses the future, inclusive, ISO 8601 in UTC."
  }),
  future_symbol: Schema.String.annotate({ description: "Symbol of the future at its exchange." }),
  svc_symbol: Schema.String.annotate({ description: "Market symbol." })
}).annotate({ identifier: "SettlementCalendarEntry", description: "Future that prices a market." })

/** Settlement prices of one day. */
export const SettlementPrice = Schema.Struct({
  $schema: Body.SchemaLink,
  symbol: Body.SymbolName,
  future_symbol: Schema.String.annotate({ description: "Symbol of the future at its exchange." }),
  future_settlement_price: Schema.Finite.annotate({ description: "Settlement price of the future, in USD." }),
  spot_settlement_price: Schema.Finite.annotate({ description: "Official closing price of the underlier, in USD." }),
  asof: Schema.String.annotate({ format: "date" }).annotate({
    description: "Date of the settlement, such as `2026-03-02`."
  }),
  inserted_at: Body.Moment.annotate({
    description: "Time at which the venue recorded the settlement, ISO 8601 in UTC."
  }),
  spot_to_future_ratio: Schema.Finite.annotate({
    description:
      "Official closing price of the underlier divided by the settlement price of the future, rounded down to 12 decimal places."
  })
}).annotate({ identifier: "SettlementPrice", description: "Settlement prices of one day." })
export type SettlementPrice = typeof SettlementPrice.Type

/** Response body of `GET /settlement-prices`. */
export const SettlementPricesResponseBody = Schema.Struct({
  $schema: Body.SchemaLink,
  data: Body.Rows(SettlementPrice).annotate({ description: "Daily settlements, newest first." }),
  count: ListCount
}).annotate({ identifier: "SettlementPricesResponseBody" })

const PricesQuery = {
  symbol: Optional(Schema.String),
  start: Optional(Moment),
  end: Optional(Moment),
  limit: Optional(WholeNumber({ minimum: 1, maximum: 1_000 }))
}
const defaultLimit = 100

const cached = { "cache-control": Body.CacheControl }
const moment = { type: "string", format: "date-time", examples: ["2026-03-02T15:00:00Z"] }
const symbolParameter = { type: "string", description: "Symbol of a market, in any letter case.", examples: ["CL-USD"] }

export const FuturesGroup = HttpApiGroup.make("futures")
  .add(
    HttpApiEndpoint.get("settlementCalendar", "/settlement-calendar", {
      query: { symbol: Body.SymbolName.check(Schema.isNonEmpty()), time: Optional(Moment) },
      success: HttpApiSchema.WithHeaders(SettlementCalendarEntry, cached),
      error: [NotFound, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "Get the future of a market",
          "Returns the future whose price the oracle uses for a market at a given time. Refused with 404 if no future is known for that " +
            "time, and with 422 for an invalid time. No credentials are needed."
        )
      )
      .annotate(
        OpenApi.Transform,
        described({
          symbol: { ...symbolParameter, minLength: 1 },
          time: { ...moment, description: "Time for which to return the future. Default: now." }
        })
      )
  )
  .add(
    HttpApiEndpoint.get("settlementPrices", "/settlement-prices", {
      query: PricesQuery,
      success: HttpApiSchema.WithHeaders(SettlementPricesResponseBody, cached),
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "List settlement prices",
          "Returns daily settlement prices, newest first, filtered by symbol and day. Refused with 400 for a " +
            "range that ends before it starts, and with 422 for an invalid time or limit. No credentials are needed."
        )
      )
      .annotate(
        OpenApi.Transform,
        described({
          symbol: symbolParameter,
          start: { ...moment, description: "Include days that start at this time or after it. Default: no bound." },
          end: { ...moment, description: "Include days that start before this time. Default: no bound." },
          limit: {
            type: "integer",
            minimum: 1,
            maximum: 1_000,
            default: defaultLimit,
            description: "Maximum number of rows to return."
          }
        })
      )
  )

/** Returns the future of a market, with the operator's prefix. */
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

/** Returns a query's filter with defaults applied; a day is included if its first instant in UTC is in the range. */
export const settlementsFilter = (query: Schema.Struct<typeof PricesQuery>["Type"]) => ({
  symbol: query.symbol === undefined ? undefined : MarketSymbol.make(query.symbol.toUpperCase()),
  startDay: firstDayFrom(query.start),
  endDay: firstDayFrom(query.end),
  limit: query.limit ?? defaultLimit
})

/** Returns the settlement of one day; prices are in 1e-8 USD. */
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

/** Last day with a four-digit year. */
const lastDay = dayOf(Date.UTC(9_999, 11, 31))
