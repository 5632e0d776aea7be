/** Series with one number for each window of a span. */
import { minuteMillis } from "@venue/domain/Minute"
import { Schema } from "effect"
import { Moment, SchemaLink } from "../Body.ts"
import { startOf } from "./ChartRange.ts"
import { type Span, windows } from "./Duration.ts"

/** Value of one window. */
export const SeriesPoint = Schema.Struct({
  $schema: SchemaLink,
  window_start: Moment.annotate({ description: "Window start, ISO 8601 in UTC." }),
  value: Schema.Finite.annotate({
    description: "Value for the window, in USD, or in percent if the response has the unit `percent`."
  })
}).annotate({ identifier: "SeriesPoint", description: "Value of one window." })
export type SeriesPoint = typeof SeriesPoint.Type

/** Response members that state the windows and the span. */
export const spanMembers = {
  interval_minutes: Schema.Int.annotate({ description: "Length of each window, in minutes." }),
  start: Schema.optionalKey(
    Moment.annotate({
      description: "Start of the span, inclusive, ISO 8601 in UTC; omitted for `all` if there is no history."
    })
  ),
  end: Moment.annotate({ description: "End of the span, exclusive, ISO 8601 in UTC." })
}

/** Returns the series of a span; `valueOf` receives the index of a window. */
export const seriesOf = (span: Span, valueOf: (window: number) => number): ReadonlyArray<SeriesPoint> =>
  Array.from({ length: windows(span) }, (_, window) => ({
    window_start: startOf(span.startMillis / minuteMillis + window * span.intervalMinutes),
    value: valueOf(window)
  }))

/** Returns the start of the first window and the end of the current window. */
export const boundsOf = ({ endMillis, startMillis }: Span) => ({
  start: startOf(startMillis / minuteMillis),
  end: startOf(endMillis / minuteMillis)
})
