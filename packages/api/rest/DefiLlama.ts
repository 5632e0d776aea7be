/** `GET /defillama/metrics`: the venue's volume and open interest by window, in DefiLlama's format. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CacheControl, Rows, SchemaLink } from "../Body.ts"
import * as Member from "../Member.ts"
import { operation } from "../Operation.ts"
import { described, Moment, Optional, WholeNumber } from "../Parameter.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { chartParameters, startOf } from "./ChartRange.ts"

/** The whole venue's metrics in one window. */
export const VenueMetrics = Schema.Struct({
  $schema: SchemaLink,
  windowStart: Schema.String.annotate({ description: "Window start, ISO 8601 in UTC." }),
  dailyVolumeUSD: Member.usd(
    "Notional traded in all markets during the window",
    "; the window can be longer or shorter than a day"
  ),
  openInterestAtEndUSD: Member.usd(
    "Open interest of one side in all markets at the end of the window, at the mark price",
    ". Markets delisted later are included"
  )
}).annotate({ identifier: "VenueMetrics", description: "Metrics of the whole venue in one window." })
export type VenueMetrics = typeof VenueMetrics.Type

/** Response body of `GET /defillama/metrics`. */
export const VenueMetricsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(VenueMetrics).annotate({ description: "Windows, oldest first." })
}).annotate({ identifier: "VenueMetricsResponseBody" })

/** Maximum range, in days. It bounds the work, because every minute of the range is read for each market. */
export const maxRangeDays = 31
export const maxMetricWindows = 1_000

/** One minute in nanoseconds. */
export const minuteNanos = 60_000_000_000

const whole = WholeNumber({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export const DefiLlamaGroup = HttpApiGroup.make("defiLlama").add(
  HttpApiEndpoint.get("venueMetrics", "/defillama/metrics", {
    query: { fromISO: Moment, toISO: Moment, intervalMinutes: Optional(whole), interval: Optional(whole) },
    success: HttpApiSchema.WithHeaders(VenueMetricsResponseBody, { "cache-control": CacheControl }),
    error: [BadRequest, ServiceUnavailable]
  })
    .annotateMerge(
      operation(
        "Get the venue's volume and open interest",
        `Returns the volume of each window and the open interest at its end, summed over all markets. A range has at most ${maxRangeDays} days and ${maxMetricWindows} windows. Either intervalMinutes or interval is required. No credentials are needed. This operation is specific to this venue.`
      )
    )
    .annotate(
      OpenApi.Transform,
      described({
        fromISO: chartParameters.fromISO,
        toISO: {
          ...chartParameters.fromISO,
          description: `Include windows that start before this time. A range has at most ${maxRangeDays} days.`
        },
        intervalMinutes: chartParameters.intervalMinutes,
        interval: {
          type: "integer",
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description:
            "Length of each window, in nanoseconds; an alternative to intervalMinutes. The length must be whole minutes and divide a day.",
          examples: [3_600_000_000_000]
        }
      })
    )
)

/** Returns the metrics of one window; volume and open interest are in 1e-6 USD. */
export const venueMetrics = (startMinute: number, volume: bigint, openInterest: bigint): VenueMetrics => ({
  windowStart: startOf(startMinute),
  dailyVolumeUSD: decimalOfMoney(volume),
  openInterestAtEndUSD: decimalOfMoney(openInterest)
})
