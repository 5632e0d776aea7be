/** Parameters shared by all charts: symbol, length of the windows, and range of their starts. */
import { minuteMillis } from "@venue/domain/Minute"
import { Schema } from "effect"
import { BadRequest, NotFound, ServiceUnavailable, TooManyRequests } from "../Problem.ts"
import { instant } from "../Digits.ts"
import { gotNumber, shown } from "../Fault.ts"
import { Moment, WholeNumber } from "../Parameter.ts"
import { CacheControl, SymbolName } from "../Body.ts"

const resolutionMinutes: Readonly<Record<string, number>> = {
  "1MIN": 1,
  "5MINS": 5,
  "15MINS": 15,
  "30MINS": 30,
  "1HOUR": 60,
  "4HOURS": 240,
  "1DAY": 1_440
}
/** Whether a length divides a day, so that the first window of each day begins at 00:00 UTC. */
const dividesDay = (minutes: number): boolean => minutes >= 1 && dayMinutes % minutes === 0
const dayMinutes = 1_440
const minutesOfUnit: Readonly<Record<string, number>> = { m: 1, h: 60, d: dayMinutes }

/** Notation for window lengths. */
export interface Lengths<Length> {
  /** Noun phrase for the accepted lengths. */
  readonly expected: string
  /** Returns a length in minutes, or undefined if the length is not accepted. */
  readonly minutesOf: (length: Length) => number | undefined
}

/** Resolutions of candles, such as `1HOUR`. */
export const resolutions: Lengths<string> = {
  expected: `one of ${Object.keys(resolutionMinutes).join(", ")}`,
  minutesOf: (length) => (Object.hasOwn(resolutionMinutes, length) ? resolutionMinutes[length] : undefined)
}

/** Intervals such as `15m`, `8h` or `1d`; resolutions of candles are accepted too. */
export const intervals: Lengths<string> = {
  expected: "a number of minutes or hours that divides a day, or one day, such as 15m, 8h or 1d",
  minutesOf: (length) => {
    const [, count = "", unit = ""] = /^([1-9]\d{0,3})([mhd])$/.exec(length) ?? []
    const minutes = Number(count) * (minutesOfUnit[unit] ?? 0)
    return dividesDay(minutes) ? minutes : resolutions.minutesOf(length)
  }
}

/** Lengths as a whole number of minutes. */
export const minutes: Lengths<number> = {
  expected: "a whole number of minutes that divides the 1440 minutes of a day",
  minutesOf: (length) => (dividesDay(length) ? length : undefined)
}

/** Returns the fault of a length that is not accepted; for a number, the fault states the nearest accepted length. */
export const lengthFault = (expected: string, length: unknown): string =>
  typeof length === "number"
    ? `Expected ${expected}${gotNumber(length, nearest(length))}.`
    : `Expected ${expected}, got ${JSON.stringify(shown(length))}.`

const nearest = (length: number): number => {
  const distance = (minutes: number): number => Math.abs(minutes - length)
  return divisors.reduce((best, divisor) => (distance(divisor) < distance(best) ? divisor : best))
}
const divisors = Array.from({ length: dayMinutes }, (_, index) => index + 1).filter(dividesDay)

/** Path parameters of a chart. */
export const chartParams = { symbol: SymbolName }

/** Range of the windows' starts: `fromISO` is inclusive, `toISO` exclusive. */
const bounds = { fromISO: Moment, toISO: Moment }

/** Query of a chart that takes the window length as a resolution. */
export const resolutionQuery = { resolution: Schema.String, ...bounds }
/** Query of a chart that takes the window length as an interval. */
export const intervalQuery = { interval: Schema.String, ...bounds }
/** Query of a chart that takes the window length in minutes. */
export const minutesQuery = {
  intervalMinutes: WholeNumber({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ...bounds
}

const moment = { type: "string", format: "date-time", examples: ["2026-03-02T15:00:00Z"] }
export const chartParameters = {
  resolution: { type: "string", enum: Object.keys(resolutionMinutes), description: "Length of each window." },
  interval: {
    type: "string",
    description:
      "Length of each window: a number of minutes or hours that divides a day, or one day, such as `15m`, `8h` or `1d`.",
    examples: ["1h"]
  },
  intervalMinutes: {
    type: "integer",
    enum: divisors,
    description: "Length of each window, in minutes: a whole number that divides the 1440 minutes of a day."
  },
  fromISO: { ...moment, description: "Include windows that start at this time or after it." },
  toISO: { ...moment, description: "Include windows that start before this time. A range has at most 20,000 windows." }
}

/** Problems that every chart endpoint can return. */
export const chartRefusals = [BadRequest, NotFound, TooManyRequests, ServiceUnavailable] as const

/** Caching of a chart: only 1 s, because each trade changes the current window. */
export const chartCaching = { "cache-control": "public, max-age=1" } as const
/** Schemas of a chart's headers. */
export const chartHeaders = { "cache-control": CacheControl }

/** Prints a window's start, given in Unix minutes, as ISO 8601 in UTC without a fraction. */
export const startOf = (minute: number): string => instant(minute * minuteMillis).replace(".000Z", "Z")
