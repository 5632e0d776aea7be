/** Named spans of time that end now, and their division into equal windows. */
import { dayMillis, dayOf } from "@venue/domain/Day"
import { minuteMillis } from "@venue/domain/Minute"
import { Schema } from "effect"

/** Named span of whole days. */
export const Range = Schema.Literals(["1w", "1m", "ytd", "all"])
export type Range = typeof Range.Type

/** Named span of time. */
export const Duration = Schema.Literals(["1d", ...Range.literals])
export type Duration = typeof Duration.Type

/** Default span of a request. */
export const defaultDuration = "1w"

/** Windows from `startMillis` to `endMillis`, each `intervalMinutes` long; the last contains the current time. */
export interface Span {
  readonly duration: Duration
  readonly startMillis: number
  readonly endMillis: number
  readonly intervalMinutes: number
}

/** Returns the windows of a span; `all` begins on the day on which the user was created. */
export const spanOf = (duration: Duration, nowMillis: number, userSinceMillis: number): Span => {
  switch (duration) {
    case "1d":
      return lastDays(duration, 1, 15, nowMillis)
    case "1w":
      return lastDays(duration, 7, 60, nowMillis)
    case "1m":
      return lastDays(duration, 30, 240, nowMillis)
    case "ytd":
      return daysFrom(duration, newYear(nowMillis), nowMillis)
    case "all":
      return daysFrom(duration, userSinceMillis, nowMillis)
  }
}

/** Returns the number of windows in a span. */
export const windows = ({ endMillis, intervalMinutes, startMillis }: Span): number =>
  (endMillis - startMillis) / (intervalMinutes * minuteMillis)

/** Whole UTC days, as Unix days, from `fromDay` to the current day; `beforeDay` is the day after the current day. */
export interface Days {
  readonly fromDay: number
  readonly beforeDay: number
}

/** Returns the days of a span; `all` begins on the day on which the user was created. */
export const daysOf = (range: Range, nowMillis: number, userSinceMillis: number): Days => {
  const beforeDay = dayOf(nowMillis) + 1
  switch (range) {
    case "1w":
      return { fromDay: beforeDay - 7, beforeDay }
    case "1m":
      return { fromDay: beforeDay - 30, beforeDay }
    case "ytd":
      return { fromDay: dayOf(newYear(nowMillis)), beforeDay }
    case "all":
      return { fromDay: dayOf(userSinceMillis), beforeDay }
  }
}

const lastDays = (duration: Duration, days: number, intervalMinutes: number, nowMillis: number): Span => {
  const intervalMillis = intervalMinutes * minuteMillis
  const endMillis = nowMillis - (nowMillis % intervalMillis) + intervalMillis
  return { duration, startMillis: endMillis - days * dayMillis, endMillis, intervalMinutes }
}

const daysFrom = (duration: Duration, fromMillis: number, nowMillis: number): Span => ({
  duration,
  startMillis: dayOf(fromMillis) * dayMillis,
  endMillis: (dayOf(nowMillis) + 1) * dayMillis,
  intervalMinutes: dayMillis / minuteMillis
})

const newYear = (nowMillis: number): number => Date.UTC(new Date(nowMillis).getUTCFullYear(), 0, 1)
