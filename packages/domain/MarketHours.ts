/** When an underlier is live: the period that limits and bands follow, and the hours of funding (rule 2). */
import type { Instrument } from "./Instrument.ts"

export type Period = "OPEN" | "OVERNIGHT" | "WEEKEND"

const days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const
export type Day = (typeof days)[number]

/** Times are local; a close at or before its open is on the next day. */
export interface Hours {
  readonly open: string
  readonly close: string
}

/** Reference data shows these funding hours; a day that is absent is closed. Trading itself never stops. */
export type MarketHours = { readonly tz: string } & { readonly [day in Day]?: Hours }

export const marketHours = (instrument: Instrument): MarketHours => {
  if (instrument.category === "EQUITY") return stocks
  if (instrument.category === "FX" || preciousMetals.has(instrument.base)) return currencies
  return futures
}

/** Says whether the outside price is live and funding runs. */
export const isLive = (instrument: Instrument, millis: number): boolean => {
  const hours = marketHours(instrument)
  const minute = minuteOfWeek(hours.tz, millis)
  const day = Math.floor(minute / minutesPerDay)
  return (
    covers(hours[days[day]!], minute % minutesPerDay) ||
    covers(hours[days[(day + 6) % 7]!], (minute % minutesPerDay) + minutesPerDay)
  )
}

/** Gives the period of rule 2.3. Bank holidays count as ordinary days. */
export const period = (instrument: Instrument, millis: number): Period => {
  switch (instrument.category) {
    case "EQUITY":
      return stockPeriod(minuteOfWeek(newYork, millis))
    case "FX":
      return isLive(instrument, millis) ? "OPEN" : "WEEKEND"
    default:
      return futuresPeriod(minuteOfWeek(chicago, millis))
  }
}

/** Gives when 20:00 in Chicago last was: the day of a volume begins then. */
export const volumeDayBegan = (millis: number): number => {
  const began = (minute: number) =>
    minute - modulo((minuteOfWeek(chicago, minute * 60_000) % minutesPerDay) - volumeDayMinute, minutesPerDay)
  // Where clocks were changed since then, that is an hour too late or too early; they are not changed in the evening.
  return began(began(Math.floor(millis / 60_000)) + 90) * 60_000
}

/** Periods and days begin on quarter hours only, in every zone and on either side of a change of its offset. */
export const quarterMillis = 900_000

/** Gives the share of position and open-interest limits in force, in basis points. */
export const limitShareBps = (during: Period): number => shares[during]

const newYork = "America/New_York"
const chicago = "America/Chicago"
const minutesPerDay = 24 * 60
const volumeDayMinute = 20 * 60
const preciousMetals: ReadonlySet<string> = new Set(["GOLD", "SILVER"])
const shares: Record<Period, number> = { OPEN: 10_000, OVERNIGHT: 5_000, WEEKEND: 1_000 }

const wholeDay: Hours = { open: "00:00:00", close: "00:00:00" }
const stocks: MarketHours = {
  tz: newYork,
  monday: wholeDay,
  tuesday: wholeDay,
  wednesday: wholeDay,
  thursday: wholeDay,
  friday: wholeDay
}

const futures = fromSundayEvening(chicago, { open: "17:00:00", close: "16:00:00" })
const currencies = fromSundayEvening("UTC", { open: "22:00:00", close: "22:00:00" })

function fromSundayEvening(tz: string, hours: Hours): MarketHours {
  return { tz, sunday: hours, monday: hours, tuesday: hours, wednesday: hours, thursday: hours }
}

/** `minute` counts from the midnight that began the day of these hours. */
function covers(hours: Hours | undefined, minute: number): boolean {
  if (hours === undefined) return false
  const open = minuteOfDay(hours.open)
  const close = minuteOfDay(hours.close)
  return minute >= open && minute < (close > open ? close : close + minutesPerDay)
}

function minuteOfDay(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
}

/** Shares are open from 09:30 to 16:00, Monday to Friday; the weekend lasts from Friday's close to Monday's open. */
function stockPeriod(minute: number): Period {
  const time = minute % minutesPerDay
  if (minute < minutesPerDay + 570 || minute >= 5 * minutesPerDay + 960) return "WEEKEND"
  return time >= 570 && time < 960 ? "OPEN" : "OVERNIGHT"
}

/** It is open but for the pause from 16:00 to 17:00; the weekend lasts from Friday's close to Sunday's reopening. */
function futuresPeriod(minute: number): Period {
  const time = minute % minutesPerDay
  if (minute < 1020 || minute >= 5 * minutesPerDay + 960) return "WEEKEND"
  return time >= 960 && time < 1020 ? "OVERNIGHT" : "OPEN"
}

/** Counts local minutes since Sunday 00:00. */
function minuteOfWeek(zone: string, millis: number): number {
  const localMinute = Math.floor((millis + offset(zone, millis)) / 60_000)
  // 1970-01-01 was a Thursday.
  return modulo(localMinute + 4 * minutesPerDay, 7 * minutesPerDay)
}

interface ZoneOffset {
  readonly format: Intl.DateTimeFormat
  quarter: number
  offsetMillis: number
}

const zones = new Map<string, ZoneOffset>()

/** Zones change their offset on quarter hours only, so one answer serves a whole quarter. */
function offset(zone: string, millis: number): number {
  if (zone === "UTC") return 0
  let known = zones.get(zone)
  if (known === undefined) {
    known = { format: clockOf(zone), quarter: NaN, offsetMillis: 0 }
    zones.set(zone, known)
  }
  const quarter = Math.floor(millis / quarterMillis)
  if (known.quarter !== quarter) {
    known.quarter = quarter
    known.offsetMillis = localMillis(known.format, quarter * quarterMillis) - quarter * quarterMillis
  }
  return known.offsetMillis
}

function clockOf(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric"
  })
}

function localMillis(format: Intl.DateTimeFormat, millis: number): number {
  const part: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(millis)) part[type] = Number(value)
  return Date.UTC(part["year"]!, part["month"]! - 1, part["day"]!, part["hour"]!, part["minute"]!)
}

function modulo(a: number, b: number): number {
  return ((a % b) + b) % b
}
