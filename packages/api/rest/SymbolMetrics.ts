/** `GET /symbols/metrics`: price, 24-hour volume, open interest and funding rate of each market with a price. */
import { decimalOfMoney, decimalOfUnits } from "@venue/domain/Decimal"
import { type Instrument, quantityOf } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { CacheControl, RowCount, Rows, SchemaLink, SymbolName } from "../Body.ts"
import { publishedRateE8 } from "../marketData/FrameText.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { operation } from "../Operation.ts"

/** Statistics of one market. */
export const SymbolMetrics = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  current_mark_price: Schema.Finite.annotate({ description: "Mark price, in USD per base unit." }),
  volume_24h_usd_notional: Schema.Finite.annotate({ description: "Notional traded in the last 24 hours, in USD." }),
  mark_price_change_24h_pct: Schema.Finite.annotate({
    description: "Change of the mark price over the last 24 hours, in percent."
  }),
  open_interest: Schema.Finite.annotate({ description: "Open interest of one side, in base units." }),
  funding_rate_bps: Schema.Finite.annotate({
    description: "Estimated funding rate of the current hour, in basis points of the notional."
  })
}).annotate({ identifier: "SymbolMetrics", description: "Statistics of one market." })
export type SymbolMetrics = typeof SymbolMetrics.Type

/** Response body of `GET /symbols/metrics`. */
export const SymbolMetricsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(SymbolMetrics).annotate({ description: "Metrics of each market that has a price." }),
  count: RowCount
}).annotate({ identifier: "SymbolMetricsResponseBody" })

export const SymbolMetricsGroup = HttpApiGroup.make("symbolMetrics").add(
  HttpApiEndpoint.get("symbolMetrics", "/symbols/metrics", {
    success: HttpApiSchema.WithHeaders(SymbolMetricsResponseBody, { "cache-control": CacheControl }),
    error: ServiceUnavailable
  }).annotateMerge(
    operation(
      "List market metrics",
      "Returns price, 24-hour volume, open interest and funding rate of every market with a price. No " +
        "credentials are needed."
    )
  )
)

/** Current statistics of a market with a price: prices in 1e-8 USD, money in 1e-6 USD. */
export interface MarketNow {
  readonly instrument: Instrument
  readonly oracleE8: number
  readonly markE8: number
  readonly openInterestLots: number
  /** Funding rate of the current hour, in 1e-12 of the notional. */
  readonly rateE12: number
  /** Volume of the last 1,440 minutes, including the current minute. */
  readonly volumeLots: bigint
  readonly notional: bigint
  readonly changePercent: number
  /** Price of the last trade on the book; 0 before the first trade. */
  readonly lastTicks: number
}

/** Converts a market's statistics to their wire format. */
export const symbolMetrics = (market: MarketNow): SymbolMetrics => ({
  symbol: market.instrument.symbol,
  current_mark_price: decimalOfUnits(market.markE8),
  volume_24h_usd_notional: decimalOfMoney(market.notional),
  mark_price_change_24h_pct: market.changePercent,
  open_interest: quantityOf(market.instrument, market.openInterestLots),
  funding_rate_bps: publishedRateE8(market.rateE12) / 10_000
})
