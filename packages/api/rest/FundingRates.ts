/**
 * `GET /funding/{symbol}`: for each window, the funding rate of the last hour that ended at or before the window's
 * start.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RowCount, Rows, SchemaLink, SymbolName } from "../Body.ts"
import { publishedRateE8 } from "../marketData/FrameText.ts"
import { described } from "../Parameter.ts"
import { chartHeaders, chartParameters, chartParams, chartRefusals, minutesQuery, startOf } from "./ChartRange.ts"
import { operation } from "../Operation.ts"

/** Funding rate of one window. */
export const FundingPoint = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  intervalMinutes: Schema.Int.annotate({ description: "Length of the window, in minutes." }),
  windowStart: Schema.String.annotate({ description: "Window start, ISO 8601 in UTC." }),
  rate: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Funding rate of the last complete hour before the start of the window, as a fraction of the notional, " +
      "such as 0.00002; null before the end of the market's first hour."
  })
}).annotate({ identifier: "FundingPoint", description: "Funding rate of one window." })
export type FundingPoint = typeof FundingPoint.Type

/** Response body of `GET /funding/{symbol}`. */
export const FundingHistoricResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(FundingPoint).annotate({ description: "Windows, oldest first." }),
  count: RowCount
}).annotate({ identifier: "FundingHistoricResponseBody" })

export const FundingRatesGroup = HttpApiGroup.make("fundingRates").add(
  HttpApiEndpoint.get("fundingRates", "/funding/:symbol", {
    params: chartParams,
    query: minutesQuery,
    success: HttpApiSchema.WithHeaders(FundingHistoricResponseBody, chartHeaders),
    error: chartRefusals
  })
    .annotateMerge(
      operation(
        "List funding rates",
        "Returns the hourly funding rate of a market by window, oldest first. Refused with 404 for an unknown " +
          "symbol, and with 400 for an unsupported interval or a range of too many windows. No " +
          "credentials are needed."
      )
    )
    .annotate(OpenApi.Transform, described(chartParameters))
)

/** Returns one window; the rate is in 1e-12 of the notional, or undefined before the first hour has ended. */
export const fundingPoint = (
  symbol: string,
  intervalMinutes: number,
  startMinute: number,
  rateE12: number | undefined
): FundingPoint => ({
  symbol,
  intervalMinutes,
  windowStart: startOf(startMinute),
  rate: rateE12 === undefined ? null : publishedRateE8(rateE12) / 1e8
})
