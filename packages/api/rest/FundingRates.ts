/** `GET /funding/{symbol}`: the rate of the last hour that had ended when each window began. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Rows, SchemaLink } from "../Body.ts"
import { toldRateE8 } from "../marketData/FrameText.ts"
import { described } from "../Parameter.ts"
import { chartHeaders, chartParameters, chartParams, chartRefusals, minutesQuery, startOf } from "./ChartRange.ts"

export const FundingPoint = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String,
  intervalMinutes: Schema.Int,
  windowStart: Schema.String,
  /** A fraction of the value for one hour, such as 0.00002, as the streams tell it; none before the end of the first hour. */
  rate: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "FundingPoint" })
export type FundingPoint = typeof FundingPoint.Type

export const FundingHistoricResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(FundingPoint),
  count: Schema.Int
}).annotate({ identifier: "FundingHistoricResponseBody" })

export const FundingRatesGroup = HttpApiGroup.make("fundingRates").add(
  HttpApiEndpoint.get("fundingRates", "/funding/:symbol", {
    params: chartParams,
    query: minutesQuery,
    success: HttpApiSchema.WithHeaders(FundingHistoricResponseBody, chartHeaders),
    error: chartRefusals
  }).annotate(OpenApi.Transform, described(chartParameters))
)

export const fundingPoint = (
  symbol: string,
  intervalMinutes: number,
  startMinute: number,
  rateE12: number | undefined
): FundingPoint => ({
  symbol,
  intervalMinutes,
  windowStart: startOf(startMinute),
  rate: rateE12 === undefined ? null : toldRateE8(rateE12) / 1e8
})
