/** What every chart is asked for: a symbol, how long its windows are, and from when to when they begin. */
import { minuteMillis } from "@venue/domain/Minute"
import { Schema } from "effect"
import { BadRequest, NotFound, ServiceUnavailable } from "../Problem.ts"
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
const intervalMinutes: Readonly<Record<string, number>> = {
  "1m": 1,
  "5m": 5,
  "15m": 15,
  "30m": 30,
  "1h": 60,
  "4h": 240,
  "1d": 1_440
}

/** One way to say how long windows are: what is offered, and the minutes of what was asked, where that is offered. */
export interface Lengths<Asked> {
  readonly offered: ReadonlyArray<string | number>
  readonly minutesOf: (asked: Asked) => number | undefined
}

export const resolutions: Lengths<string> = {
  offered: Object.keys(resolutionMinutes),
  minutesOf: (asked) => (Object.hasOwn(resolutionMinutes, asked) ? resolutionMinutes[asked] : undefined)
}

/** The words of candles are understood too. */
export const intervals: Lengths<string> = {
  offered: Object.keys(intervalMinutes),
  minutesOf: (asked) => (Object.hasOwn(intervalMinutes, asked) ? intervalMinutes[asked] : resolutions.minutesOf(asked))
}

const offeredMinutes = Object.values(intervalMinutes)
export const minutes: Lengths<number> = {
  offered: offeredMinutes,
  minutesOf: (asked) => (offeredMinutes.includes(asked) ? asked : undefined)
}

/** Of a number, the one that is offered next to it is named. */
export const lengthFault = (offered: Lengths<unknown>["offered"], asked: unknown): string => {
  const expected = `Expected one of ${offered.join(", ")}`
  if (typeof asked !== "number") return `${expected}, got ${JSON.stringify(shown(asked))}.`
  const off = (one: string | number): number => Math.abs(Number(one) - asked)
  const near = offered.reduce((best, one) => (off(one) < off(best) ? one : best))
  return `${expected}${gotNumber(asked, Number(near))}.`
}

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
  resolution: { type: "string", enum: resolutions.offered, description: "Length of a window." },
  interval: { type: "string", enum: intervals.offered, description: "Length of a window." },
  intervalMinutes: { type: "integer", enum: minutes.offered, description: "Length of a window, in minutes." },
  fromISO: { ...moment, description: "Include windows that start at this time or after it." },
  toISO: { ...moment, description: "Include windows that start before this time. A range has at most 5,000 windows." }
}

export const chartRefusals = [BadRequest, NotFound, ServiceUnavailable] as const

/** The window that is running changes with every trade. */
export const chartCaching = { "cache-control": "public, max-age=1" } as const
export const chartHeaders = { "cache-control": CacheControl }

/** The start of a window. */
export const startOf = (minute: number): string => instant(minute * minuteMillis).replace(".000Z", "Z")
