/** `GET /underlier/{symbol}`: the oracle price in each window. */
import { decimalOfUnits } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Rows, SchemaLink } from "../Body.ts"
import { described } from "../Parameter.ts"
import { chartHeaders, chartParameters, chartParams, chartRefusals, intervalQuery, startOf } from "./ChartRange.ts"

export const UnderlierPoint = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String,
  interval: Schema.String,
  windowStart: Schema.String,
  openPrice: Schema.Finite,
  highPrice: Schema.Finite,
  lowPrice: Schema.Finite,
  closePrice: Schema.Finite
}).annotate({ identifier: "UnderlierPoint" })
export type UnderlierPoint = typeof UnderlierPoint.Type

export const UnderlierHistoricResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(UnderlierPoint),
  count: Schema.Int
}).annotate({ identifier: "UnderlierHistoricResponseBody" })

export const UnderlierGroup = HttpApiGroup.make("underlier").add(
  HttpApiEndpoint.get("underlier", "/underlier/:symbol", {
    params: chartParams,
    query: intervalQuery,
    success: HttpApiSchema.WithHeaders(UnderlierHistoricResponseBody, chartHeaders),
    error: chartRefusals
  }).annotate(OpenApi.Transform, described(chartParameters))
)

/** In 1e-8 USD. */
export interface OracleWindow {
  readonly startMinute: number
  readonly oracleOpenE8: number
  readonly oracleHighE8: number
  readonly oracleLowE8: number
  readonly oracleCloseE8: number
}

/** Oldest first. A window in which the price did not change has the close of before, `beforeE8` for the first. */
export const underlierPoints = (
  symbol: string,
  interval: string,
  starts: ReadonlyArray<number>,
  windows: ReadonlyArray<OracleWindow>,
  beforeE8: number
): ReadonlyArray<UnderlierPoint> => {
  const told = new Map(windows.map((window) => [window.startMinute, window]))
  let closeE8 = beforeE8
  return starts.map((start) => {
    const window = told.get(start)
    const point = {
      symbol,
      interval,
      windowStart: startOf(start),
      openPrice: decimalOfUnits(window?.oracleOpenE8 ?? closeE8),
      highPrice: decimalOfUnits(window?.oracleHighE8 ?? closeE8),
      lowPrice: decimalOfUnits(window?.oracleLowE8 ?? closeE8),
      closePrice: decimalOfUnits(window?.oracleCloseE8 ?? closeE8)
    }
    closeE8 = window?.oracleCloseE8 ?? closeE8
    return point
  })
}
