/**
 * Market hours of underliers: the trading period, which determines limits and bands, and the hours in which prices
 * are live and funding runs (rule 2).
 */
import type { Instrument } from "./Instrument.ts"

/** Trading period of an underlier (rule 2.3). */
export type Period = "OPEN" | "OVERNIGHT" | "WEEKEND"

const days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const
/** Day of the week. */
export type Day = (typeof days)[number]

/** Local opening and closing time, `HH:MM:SS`. A closing time at or before the opening time falls on the next day. */
export interface Hours {
  readonly open: string
  readonly close: string
}

/**
 * Hours in which prices are live and funding runs, as listed in reference data; closed days are absent. Trading never
 * stops.
 */
export type MarketHours = { readonly tz: string } & { readonly [day in Day]?: Hours }

/** Returns the hours of an instrument (rule 2.2). */
export const marketHours = (instrument: Instrument): MarketHours => {
  if (instrument.category === "EQUITY") return stocks
  if (instrument.category === "FX" || preciousMetals.has(instrument.base)) return currencies
  return futures
}

/** Returns true if the external price is live and funding runs. */
export const isLive = (instrument: Instrument, millis: number): boolean => {
  const hours = marketHours(instrument)
  const minute = minuteOfWeek(hours.tz, millis)
  const day = Math.floor(minute / minutesPerDay)
  return (
    covers(hours[days[day]!], minute % minutesPerDay) ||
    covers(hours[days[(day + 6) % 7]!], (minute % minutesPerDay) + minutesPerDay)
  )
}

/** Returns the period of rule 2.3. Bank holidays count as ordinary days. */
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

/** Returns the most recent 20:00 in Chicago, at which the volume day starts (rule 4.17), in Unix milliseconds. */
export const volumeDayBegan = (millis: number): number => {
  const began = (minute: number) =>
    minute - modulo((minuteOfWeek(chicago, minute * 60_000) % minutesPerDay) - volumeDayMinute, minutesPerDay)
  // The first pass is off by an hour after a clock change. Clocks never change in the evening, so the second pass is
  // exact.
  return began(began(Math.floor(millis / 60_000)) + 90) * 60_000
}

/** Length of a quarter hour in milliseconds. Periods and days begin only on quarter hours, in every time zone. */
export const quarterMillis = 900_000

/** Returns the current share of the position and open-interest limits, in basis points (rule 6.3). */
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

/** Returns true if the hours include the minute, which is counted from the midnight at which their day begins. */
function covers(hours: Hours | undefined, minute: number): boolean {
  if (hours === undefined) return false
  const open = minuteOfDay(hours.open)
  const close = minuteOfDay(hours.close)
  return minute >= open && minute < (close > open ? close : close + minutesPerDay)
}

function minuteOfDay(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
}

/** Stocks: OPEN from 09:30 to 16:00, Monday to Friday; WEEKEND from Friday's close to Monday's open. */
function stockPeriod(minute: number): Period {
  const time = minute % minutesPerDay
  if (minute < minutesPerDay + 570 || minute >= 5 * minutesPerDay + 960) return "WEEKEND"
  return time >= 570 && time < 960 ? "OPEN" : "OVERNIGHT"
}

/** Futures: OVERNIGHT from 16:00 to 17:00, WEEKEND from Friday's close to Sunday's reopening, otherwise OPEN. */
function futuresPeriod(minute: number): Period {
  const time = minute % minutesPerDay
  if (minute < 1020 || minute >= 5 * minutesPerDay + 960) return "WEEKEND"
  return time >= 960 && time < 1020 ? "OVERNIGHT" : "OPEN"
}

/** Returns the number of minutes since Sunday 00:00, local time. */
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

/** Caches one offset per zone and quarter hour: zones change their offset only on quarter hours. */
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
