/** A number for each window of a span of time. */
import { minuteMillis } from "@venue/domain/Minute"
import { Schema } from "effect"
import { Moment, SchemaLink } from "../Body.ts"
import { startOf } from "./ChartRange.ts"
import { type Span, windows } from "./Duration.ts"

export const SeriesPoint = Schema.Struct({
  $schema: SchemaLink,
  window_start: Moment.annotate({ description: "Start of the window, ISO 8601 in UTC." }),
  value: Schema.Finite.annotate({ description: "Value of the window, in the unit of the answer." })
}).annotate({ identifier: "SeriesPoint", description: "Value of one window." })
export type SeriesPoint = typeof SeriesPoint.Type

export const seriesOf = (span: Span, valueOf: (window: number) => number): ReadonlyArray<SeriesPoint> =>
  Array.from({ length: windows(span) }, (_, window) => ({
    window_start: startOf(span.startMillis / minuteMillis + window * span.intervalMinutes),
    value: valueOf(window)
  }))

/** Start of the first window, and end of the running one. */
export const boundsOf = ({ endMillis, startMillis }: Span) => ({
  start: startOf(startMillis / minuteMillis),
  end: startOf(endMillis / minuteMillis)
})
