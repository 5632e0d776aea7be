/** What every chart is asked for: a symbol, how long its windows are, and from when to when they begin. */
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
/** Every whole number of minutes that divides a day, so that windows of a day begin at 00:00 UTC. */
const dividesDay = (minutes: number): boolean => minutes >= 1 && dayMinutes % minutes === 0
const dayMinutes = 1_440
const minutesOfUnit: Readonly<Record<string, number>> = { m: 1, h: 60, d: dayMinutes }

/** One way to name the length of windows: what is accepted, in words, and the minutes of an accepted length. */
export interface Lengths<Asked> {
  readonly expected: string
  readonly minutesOf: (asked: Asked) => number | undefined
}

export const resolutions: Lengths<string> = {
  expected: `one of ${Object.keys(resolutionMinutes).join(", ")}`,
  minutesOf: (asked) => (Object.hasOwn(resolutionMinutes, asked) ? resolutionMinutes[asked] : undefined)
}

/** The words of candles are accepted, too. */
export const intervals: Lengths<string> = {
  expected: "minutes, hours or a day that divide a day, such as 15m, 8h or 1d",
  minutesOf: (asked) => {
    const [, count = "", unit = ""] = /^([1-9]\d{0,3})([mhd])$/.exec(asked) ?? []
    const minutes = Number(count) * (minutesOfUnit[unit] ?? 0)
    return dividesDay(minutes) ? minutes : resolutions.minutesOf(asked)
  }
}

export const minutes: Lengths<number> = {
  expected: "a whole number of minutes that divides a day, 1440",
  minutesOf: (asked) => (dividesDay(asked) ? asked : undefined)
}

/** For a number, names the accepted one next to it. */
export const lengthFault = (expected: string, asked: unknown): string =>
  typeof asked === "number"
    ? `Expected ${expected}${gotNumber(asked, nearest(asked))}.`
    : `Expected ${expected}, got ${JSON.stringify(shown(asked))}.`

const nearest = (asked: number): number => {
  const off = (minutes: number): number => Math.abs(minutes - asked)
  return divisors.reduce((best, one) => (off(one) < off(best) ? one : best))
}
const divisors = Array.from({ length: dayMinutes }, (_, index) => index + 1).filter(dividesDay)

export const chartParams = { symbol: SymbolName }

/** A window is told that begins at the first moment or later, and before the last. */
const bounds = { fromISO: Moment, toISO: Moment }

export const resolutionQuery = { resolution: Schema.String, ...bounds }
export const intervalQuery = { interval: Schema.String, ...bounds }
export const minutesQuery = {
  intervalMinutes: WholeNumber({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ...bounds
}

const moment = { type: "string", format: "date-time", examples: ["2026-03-02T15:00:00Z"] }
/** What the parameters are, in the description. */
export const chartParameters = {
  resolution: { type: "string", enum: Object.keys(resolutionMinutes), description: "Length of a window." },
  interval: {
    type: "string",
    description: "Length of a window: minutes, hours or a day that divide a day, such as `15m`, `8h` or `1d`.",
    examples: ["1h"]
  },
  intervalMinutes: {
    type: "integer",
    enum: divisors,
    description: "Length of a window, in minutes: a whole number that divides a day."
  },
  fromISO: { ...moment, description: "Include windows that start at this time or after it." },
  toISO: { ...moment, description: "Include windows that start before this time. A range has at most 20,000 windows." }
}

export const chartRefusals = [BadRequest, NotFound, TooManyRequests, ServiceUnavailable] as const

/** The window that is running changes with every trade. */
export const chartCaching = { "cache-control": "public, max-age=1" } as const
export const chartHeaders = { "cache-control": CacheControl }

/** The start of a window. */
export const startOf = (minute: number): string => instant(minute * minuteMillis).replace(".000Z", "Z")
