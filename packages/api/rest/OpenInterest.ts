/** `GET /open-interest/{symbol}`: open interest at the start of each window. */
import { type Instrument, quantityOf } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RowCount, Rows, SchemaLink, SymbolName } from "../Body.ts"
import { described } from "../Parameter.ts"
import { chartHeaders, chartParameters, chartParams, chartRefusals, minutesQuery, startOf } from "./ChartRange.ts"
import { operation } from "../Operation.ts"

/** Open interest of one window. */
export const OpenInterestPoint = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  intervalMinutes: Schema.Int.annotate({ description: "Length of the window, in minutes." }),
  windowStart: Schema.String.annotate({ description: "Window start, ISO 8601 in UTC." }),
  openInterest: Schema.NullOr(Schema.Finite).annotate({
    description: "Open interest of one side at the start of the window, in base units; null before the first price."
  })
}).annotate({ identifier: "OpenInterestPoint", description: "Open interest of one window." })
export type OpenInterestPoint = typeof OpenInterestPoint.Type

/** Response body of `GET /open-interest/{symbol}`. */
export const OpenInterestHistoricResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(OpenInterestPoint).annotate({ description: "Windows, oldest first." }),
  count: RowCount
}).annotate({ identifier: "OpenInterestHistoricResponseBody" })

export const OpenInterestGroup = HttpApiGroup.make("openInterest").add(
  HttpApiEndpoint.get("openInterest", "/open-interest/:symbol", {
    params: chartParams,
    query: minutesQuery,
    success: HttpApiSchema.WithHeaders(OpenInterestHistoricResponseBody, chartHeaders),
    error: chartRefusals
  })
    .annotateMerge(
      operation(
        "List open interest",
        "Returns the open interest of a market by window, oldest first. Refused with 404 for an unknown " +
          "symbol, and with 400 for an unsupported interval or a range of too many windows. No " +
          "credentials are needed."
      )
    )
    .annotate(OpenApi.Transform, described(chartParameters))
)

/** Returns one window; `lots` is undefined before the first price. */
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
