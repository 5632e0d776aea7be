/** `GET /symbol-long-short/{symbol}`: how many users were long and how many short when each window began. */
import { type Holders, noHolders } from "@venue/domain/Holders"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Rows, SchemaLink } from "../Body.ts"
import { described } from "../Parameter.ts"
import { chartHeaders, chartParameters, chartParams, chartRefusals, intervalQuery, startOf } from "./ChartRange.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const SymbolLongShortPoint = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String,
  interval: Schema.String,
  windowStart: Schema.String,
  longUsers: Count,
  shortUsers: Count
}).annotate({ identifier: "SymbolLongShortPoint" })
export type SymbolLongShortPoint = typeof SymbolLongShortPoint.Type

export const SymbolLongShortHistoricResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(SymbolLongShortPoint),
  count: Schema.Int
}).annotate({ identifier: "SymbolLongShortHistoricResponseBody" })

export const LongShortGroup = HttpApiGroup.make("longShort").add(
  HttpApiEndpoint.get("longShort", "/symbol-long-short/:symbol", {
    params: chartParams,
    query: intervalQuery,
    success: HttpApiSchema.WithHeaders(SymbolLongShortHistoricResponseBody, chartHeaders),
    error: chartRefusals
  }).annotate(OpenApi.Transform, described(chartParameters))
)

/** Nobody held anything before they were first counted. */
export const longShortPoint = (
  symbol: string,
  interval: string,
  startMinute: number,
  { longUsers, shortUsers }: Holders = noHolders
): SymbolLongShortPoint => ({ symbol, interval, windowStart: startOf(startMinute), longUsers, shortUsers })
