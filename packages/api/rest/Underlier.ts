/** `GET /underlier/{symbol}`: oracle price of each window. */
import { decimalOfUnits } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RowCount, Rows, SchemaLink, SymbolName } from "../Body.ts"
import { described } from "../Parameter.ts"
import { chartHeaders, chartParameters, chartParams, chartRefusals, intervalQuery, startOf } from "./ChartRange.ts"
import { operation } from "../Operation.ts"

/** Oracle price of one window. */
export const UnderlierPoint = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  interval: Schema.String.annotate({ description: "Length of the window, such as `1h`." }),
  windowStart: Schema.String.annotate({ description: "Window start, ISO 8601 in UTC." }),
  openPrice: Schema.Finite.annotate({ description: "First oracle price in the window, in USD per base unit." }),
  highPrice: Schema.Finite.annotate({ description: "Highest oracle price in the window, in USD per base unit." }),
  lowPrice: Schema.Finite.annotate({ description: "Lowest oracle price in the window, in USD per base unit." }),
  closePrice: Schema.Finite.annotate({ description: "Last oracle price in the window, in USD per base unit." })
}).annotate({ identifier: "UnderlierPoint", description: "Oracle price of one window." })
export type UnderlierPoint = typeof UnderlierPoint.Type

/** Response body of `GET /underlier/{symbol}`. */
export const UnderlierHistoricResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(UnderlierPoint).annotate({ description: "Windows, oldest first." }),
  count: RowCount
}).annotate({ identifier: "UnderlierHistoricResponseBody" })

export const UnderlierGroup = HttpApiGroup.make("underlier").add(
  HttpApiEndpoint.get("underlier", "/underlier/:symbol", {
    params: chartParams,
    query: intervalQuery,
    success: HttpApiSchema.WithHeaders(UnderlierHistoricResponseBody, chartHeaders),
    error: chartRefusals
  })
    .annotateMerge(
      operation(
        "List oracle prices",
        "Returns the oracle price of a market by window, oldest first. Refused with 404 for an unknown symbol, " +
          "and with 400 for an unsupported interval or a range of too many windows. No credentials are " +
          "needed."
      )
    )
    .annotate(OpenApi.Transform, described(chartParameters))
)

/** Oracle prices of a window, in 1e-8 USD. */
export interface OracleWindow {
  readonly startMinute: number
  readonly oracleOpenE8: number
  readonly oracleHighE8: number
  readonly oracleLowE8: number
  readonly oracleCloseE8: number
}

/**
 * Returns the windows, oldest first. A window without a change repeats the previous close; `beforeE8` is the close
 * before the first window.
 */
export const underlierPoints = (
  symbol: string,
  interval: string,
  starts: ReadonlyArray<number>,
  windows: ReadonlyArray<OracleWindow>,
  beforeE8: number
): ReadonlyArray<UnderlierPoint> => {
  const changed = new Map(windows.map((window) => [window.startMinute, window]))
  let closeE8 = beforeE8
  return starts.map((start) => {
    const window = changed.get(start)
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
