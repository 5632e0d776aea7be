/** `GET /open-interest/{symbol}`: how much was held long, and as much short, when each window began. */
import { type Instrument, quantityOf } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Rows, SchemaLink } from "../Body.ts"
import { described } from "../Parameter.ts"
import { chartHeaders, chartParameters, chartParams, chartRefusals, minutesQuery, startOf } from "./ChartRange.ts"

export const OpenInterestPoint = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String,
  intervalMinutes: Schema.Int,
  windowStart: Schema.String,
  /** In units of the base; none before the first price. */
  openInterest: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "OpenInterestPoint" })
export type OpenInterestPoint = typeof OpenInterestPoint.Type

export const OpenInterestHistoricResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(OpenInterestPoint),
  count: Schema.Int
}).annotate({ identifier: "OpenInterestHistoricResponseBody" })

export const OpenInterestGroup = HttpApiGroup.make("openInterest").add(
  HttpApiEndpoint.get("openInterest", "/open-interest/:symbol", {
    params: chartParams,
    query: minutesQuery,
    success: HttpApiSchema.WithHeaders(OpenInterestHistoricResponseBody, chartHeaders),
    error: chartRefusals
  }).annotate(OpenApi.Transform, described(chartParameters))
)

export const openInterestPoint = (
  instrument: Instrument,
  intervalMinutes: number,
  startMinute: number,
  lots: number | undefined
): OpenInterestPoint => ({
  symbol: instrument.symbol,
  intervalMinutes,
  windowStart: startOf(startMinute),
  openInterest: lots === undefined ? null : quantityOf(instrument, lots)
})
