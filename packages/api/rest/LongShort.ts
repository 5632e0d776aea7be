/** `GET /symbol-long-short/{symbol}`: number of long and short users at the start of each window. */
import { type Holders, noHolders } from "@venue/domain/Holders"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RowCount, Rows, SchemaLink, SymbolName } from "../Body.ts"
import { described } from "../Parameter.ts"
import { chartHeaders, chartParameters, chartParams, chartRefusals, intervalQuery, startOf } from "./ChartRange.ts"
import { operation } from "../Operation.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Number of long and short users in one window. */
export const SymbolLongShortPoint = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  interval: Schema.String.annotate({ description: "Length of the window, such as `1h`." }),
  windowStart: Schema.String.annotate({ description: "Window start, ISO 8601 in UTC." }),
  longUsers: Count.annotate({ description: "Number of users with a long position at the start of the window." }),
  shortUsers: Count.annotate({ description: "Number of users with a short position at the start of the window." })
}).annotate({
  identifier: "SymbolLongShortPoint",
  description: "Number of users with a long position, and number of users with a short position, in one window."
})
export type SymbolLongShortPoint = typeof SymbolLongShortPoint.Type

/** Response body of `GET /symbol-long-short/{symbol}`. */
export const SymbolLongShortHistoricResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(SymbolLongShortPoint).annotate({ description: "Windows, oldest first." }),
  count: RowCount
}).annotate({ identifier: "SymbolLongShortHistoricResponseBody" })

export const LongShortGroup = HttpApiGroup.make("longShort").add(
  HttpApiEndpoint.get("longShort", "/symbol-long-short/:symbol", {
    params: chartParams,
    query: intervalQuery,
    success: HttpApiSchema.WithHeaders(SymbolLongShortHistoricResponseBody, chartHeaders),
    error: chartRefusals
  })
    .annotateMerge(
      operation(
        "List long and short holders",
        "Returns the numbers of users with long and short positions at the start of each window, oldest first. Refused with 404 for an unknown " +
          "symbol, and with 400 for an unsupported interval or a range of too many windows. No " +
          "credentials are needed."
      )
    )
    .annotate(OpenApi.Transform, described(chartParameters))
)

/** Returns one window; the numbers are 0 before the first count. */
export const longShortPoint = (
  symbol: string,
  interval: string,
  startMinute: number,
  { longUsers, shortUsers }: Holders = noHolders
): SymbolLongShortPoint => ({ symbol, interval, windowStart: startOf(startMinute), longUsers, shortUsers })
