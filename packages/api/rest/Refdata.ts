/** `GET /refdata`: listed markets with their tick and lot sizes, bounds and hours. */
import { type Instrument } from "@venue/domain/Instrument"
import type { MarketHours } from "@venue/domain/MarketHours"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Digits from "../Digits.ts"
import { CacheControl, Rows, SchemaLink, SymbolName } from "../Body.ts"
import { described, Optional } from "../Parameter.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { operation } from "../Operation.ts"

const Hours = Schema.Struct({
  open: Schema.String.annotate({
    description: "Start of the hours in which funding accrues, in the time zone `tz`, as HH:MM:SS."
  }),
  close: Schema.String.annotate({
    description: "End of the hours in which funding accrues, in the time zone `tz`, as HH:MM:SS."
  })
}).annotate({ description: "Hours of one day in which funding accrues." })

/** Funding hours by day of the week. Funding does not run on days that are absent; trading itself never stops. */
const MarketHoursBody = Schema.Struct({
  tz: Schema.String.annotate({ description: "Time zone of all hours, as an IANA name such as `America/New_York`." }),
  monday: Schema.optionalKey(Hours),
  tuesday: Schema.optionalKey(Hours),
  wednesday: Schema.optionalKey(Hours),
  thursday: Schema.optionalKey(Hours),
  friday: Schema.optionalKey(Hours),
  saturday: Schema.optionalKey(Hours),
  sunday: Schema.optionalKey(Hours)
}).annotate({
  identifier: "MarketHours",
  description:
    "Hours in which funding accrues, by day of the week; on an omitted day, no funding accrues. Trading itself never stops."
})

/** Terms, price bounds and status of one market. */
export const RefdataSymbol = Schema.Struct({
  $schema: SchemaLink,
  clobPairId: Schema.String.annotate({ description: "Number that identifies the order book, in a string." }),
  symbol: SymbolName,
  underlier_price: Schema.String.annotate({
    description: "Oracle price in USD, decimal text; 0 before the first price."
  }),
  price_change_24h: Schema.String.annotate({
    description: "Change of the mark price over the last 24 hours, in percent, decimal text."
  }),
  default_max_leverage: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
    description: "Maximum leverage of the market: the notional divided by the margin."
  }),
  tick_size: Schema.String.annotate({ description: "Price increment in USD, decimal text." }),
  lot_size: Schema.String.annotate({ description: "Quantity increment, in base units, decimal text." }),
  min_price: Schema.String.annotate({
    description: "Current minimum price of an order, in USD, decimal text; 0 before the first price."
  }),
  max_price: Schema.String.annotate({
    description: "Current maximum price of an order, in USD, decimal text; 0 before the first price."
  }),
  min_quantity: Schema.String.annotate({ description: "Minimum quantity of an order, in base units, decimal text." }),
  max_quantity: Schema.String.annotate({ description: "Maximum quantity of an order, in base units, decimal text." }),
  base_asset: Schema.String.annotate({
    description: "Asset that the contract tracks: one base unit is one unit of the asset."
  }),
  quote_asset: Schema.String.annotate({ description: "Currency of prices." }),
  margin_asset: Schema.String.annotate({ description: "Asset in which margin is paid." }),
  order_time_in_force: Rows(Schema.String).annotate({ description: "Supported values of `time_in_force`." }),
  order_types: Rows(Schema.String).annotate({ description: "Supported order types." }),
  market_hours: MarketHoursBody,
  status: Schema.Literals(["ACTIVE", "INACTIVE", "DELISTED"]).annotate({
    description: "`ACTIVE` while trading; `INACTIVE` while cancel-only or halted; `DELISTED` after settlement."
  }),
  product_category: Schema.Literals(["EQUITY", "INDEX", "COMMODITY", "FX"]).annotate({
    description: "Class of the underlier, which determines the fees and the market hours."
  })
}).annotate({ identifier: "RefdataSymbol" })
export type RefdataSymbol = typeof RefdataSymbol.Type

/** Response body of `GET /refdata`. */
export const RefdataResponse = Schema.Struct({
  $schema: SchemaLink,
  type: Schema.Literal("refdata").annotate({ description: "Type of the response, always `refdata`." }),
  data: Rows(RefdataSymbol).annotate({ description: "Listed markets." })
}).annotate({ identifier: "RefdataResponse" })

/** Headers of the response, for `HttpApiSchema.withHeaders({ body, headers: caching })`. */
export const caching = { "cache-control": "public, max-age=5" } as const

export const RefdataGroup = HttpApiGroup.make("refdata").add(
  HttpApiEndpoint.get("refdata", "/refdata", {
    query: { ticker: Optional(Schema.String) },
    success: HttpApiSchema.WithHeaders(RefdataResponse, { "cache-control": CacheControl }),
    error: ServiceUnavailable
  })
    .annotate(
      OpenApi.Transform,
      described({
        ticker: {
          type: "string",
          description: "Symbol of one market, in any letter case. Default: all markets.",
          examples: ["GOLD-USD"]
        }
      })
    )
    .annotateMerge(
      operation(
        "List markets",
        "Returns the terms, price bounds and status of every listed market, or of the market `ticker`. The list is " +
          "empty for an unknown ticker. No credentials are needed."
      )
    )
)

/** Current state of a market: prices in 1e-8 USD, bounds in ticks; 0 before the first price. */
export interface MarketState {
  readonly oracleE8: number
  readonly minPriceTicks: number
  readonly maxPriceTicks: number
  /** Change of the mark price over 24 hours, in percent with two decimals. */
  readonly changePercent: number
  readonly hours: MarketHours
  readonly status: RefdataSymbol["status"]
}

/** Converts a market to its wire format. */
export const refdataSymbol = (instrument: Instrument, state: MarketState): RefdataSymbol => ({
  clobPairId: String(instrument.clobPairId),
  symbol: instrument.symbol,
  underlier_price: Digits.units(state.oracleE8),
  price_change_24h: Digits.plain(state.changePercent),
  default_max_leverage: instrument.maxLeverage,
  tick_size: Digits.units(instrument.tickE8),
  lot_size: Digits.units(instrument.lotE8),
  min_price: Digits.units(state.minPriceTicks * instrument.tickE8),
  max_price: Digits.units(state.maxPriceTicks * instrument.tickE8),
  min_quantity: Digits.units(instrument.minQuantityLots * instrument.lotE8),
  max_quantity: Digits.units(instrument.maxQuantityLots * instrument.lotE8),
  base_asset: instrument.base,
  quote_asset: instrument.quote,
  margin_asset: "USDC",
  order_time_in_force: ["GTC", "IOC", "FOK"],
  order_types: ["LIMIT", "MARKET", "ALO"],
  market_hours: state.hours,
  status: state.status,
  product_category: instrument.category
})
