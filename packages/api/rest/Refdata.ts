/** `GET /refdata`: what is listed, by which steps and bounds it trades. */
import { type Instrument } from "@venue/domain/Instrument"
import type { MarketHours } from "@venue/domain/MarketHours"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as Digits from "../Digits.ts"
import { Rows, SchemaLink } from "../Body.ts"
import { Optional } from "../Parameter.ts"
import { ServiceUnavailable } from "../Problem.ts"

const Hours = Schema.Struct({ open: Schema.String, close: Schema.String })

/** A day that is absent is closed. These are funding hours; trading never stops. */
const MarketHoursBody = Schema.Struct({
  tz: Schema.String,
  monday: Schema.optionalKey(Hours),
  tuesday: Schema.optionalKey(Hours),
  wednesday: Schema.optionalKey(Hours),
  thursday: Schema.optionalKey(Hours),
  friday: Schema.optionalKey(Hours),
  saturday: Schema.optionalKey(Hours),
  sunday: Schema.optionalKey(Hours)
}).annotate({ identifier: "MarketHours" })

export const RefdataSymbol = Schema.Struct({
  $schema: SchemaLink,
  clobPairId: Schema.String,
  symbol: Schema.String,
  underlier_price: Schema.String,
  price_change_24h: Schema.String,
  default_max_leverage: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  tick_size: Schema.String,
  lot_size: Schema.String,
  min_price: Schema.String,
  max_price: Schema.String,
  min_quantity: Schema.String,
  max_quantity: Schema.String,
  base_asset: Schema.String,
  quote_asset: Schema.String,
  margin_asset: Schema.String,
  order_time_in_force: Rows(Schema.String),
  order_types: Rows(Schema.String),
  market_hours: MarketHoursBody,
  status: Schema.Literals(["ACTIVE", "INACTIVE", "DELISTED"]),
  product_category: Schema.Literals(["EQUITY", "INDEX", "COMMODITY", "FX"])
}).annotate({ identifier: "RefdataSymbol" })
export type RefdataSymbol = typeof RefdataSymbol.Type

export const RefdataResponse = Schema.Struct({
  $schema: SchemaLink,
  type: Schema.Literal("refdata"),
  data: Rows(RefdataSymbol)
}).annotate({ identifier: "RefdataResponse" })

/** A handler answers with `HttpApiSchema.withHeaders({ body, headers: caching })`. */
export const caching = { "cache-control": "public, max-age=5" } as const

export const RefdataGroup = HttpApiGroup.make("refdata").add(
  HttpApiEndpoint.get("refdata", "/refdata", {
    query: { ticker: Optional(Schema.String) },
    success: HttpApiSchema.WithHeaders(RefdataResponse, { "cache-control": Schema.String }),
    error: ServiceUnavailable
  })
)

/**
 * The venue knows this of a market at this moment. Prices are in 1e-8 USD, bounds in ticks; 0 before the first price.
 */
export interface MarketState {
  readonly oracleE8: number
  readonly minPriceTicks: number
  readonly maxPriceTicks: number
  /** The mark has changed by so much in 24 hours, told with two places. */
  readonly changePercent: number
  readonly hours: MarketHours
  readonly status: RefdataSymbol["status"]
}

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
