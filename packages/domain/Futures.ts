/**
 * External prices derived from futures, for indices and rolled commodities (rule 3.8, rule 3.9). Prices in 1e-8 USD.
 */
import { mulDivDown } from "./Decimal.ts"
import type { Instrument } from "./Instrument.ts"

/** A dated future under its exchange's symbol. The oracle uses it up to and including `activeUntilMillis`. */
export interface DatedFuture {
  readonly futureSymbol: string
  readonly activeUntilMillis: number
  readonly expirationMillis: number
}

/** A dated future with its start time. At a changeover, the earlier future is still active (rule 3.10). */
export interface ActiveFuture extends DatedFuture {
  readonly activeFromMillis: number
}

/** Returns true for underliers priced by futures: every index, and the rolled commodities (rule 3.10). */
export const isFuturesBased = ({ base, category }: Pick<Instrument, "base" | "category">): boolean =>
  category === "INDEX" || rolledCommodities.has(base)

/**
 * Returns the futures with their start times. The first starts at `activeFromMillis`; each of the others starts when
 * the previous one ends.
 */
export const chained = (activeFromMillis: number, futures: ReadonlyArray<DatedFuture>): ReadonlyArray<ActiveFuture> =>
  futures.map((future, index) => ({
    ...future,
    activeFromMillis: index === 0 ? activeFromMillis : futures[index - 1]!.activeUntilMillis
  }))

/** The first invalid field of a futures calendar: index of the future, field, and description of a valid value. */
export interface CalendarFlaw {
  readonly index: number
  readonly term: keyof DatedFuture
  readonly expected: string
}

/** Returns the first flaw of a futures calendar, or undefined if the calendar is valid (rule 3.10). */
export const calendarFlaw = (
  activeFromMillis: number,
  futures: ReadonlyArray<DatedFuture>
): CalendarFlaw | undefined => {
  const seen = new Set<string>()
  for (const [index, future] of chained(activeFromMillis, futures).entries()) {
    const flaw = (term: keyof DatedFuture, expected: string): CalendarFlaw => ({ index, term, expected })
    if (seen.has(future.futureSymbol)) return flaw("futureSymbol", "a future that occurs only once in the calendar")
    if (future.activeUntilMillis <= future.activeFromMillis)
      return flaw("activeUntilMillis", "a time after the future's start, which is the end of the previous future")
    if (future.expirationMillis < future.activeUntilMillis)
      return flaw("expirationMillis", "a time at or after the end of the future's use")
    seen.add(future.futureSymbol)
  }
  return undefined
}

/** Returns the value of one index unit in units of its future, in 1e-12, rounded down (rule 3.8). */
export const spotToFutureRatio = (officialCloseE8: number, settlementE8: number): number =>
  mulDivDown(officialCloseE8, ratioScale, settlementE8)

/** Returns the index price for a price of its future, rounded down (rule 3.8). */
export const indexPrice = (futureE8: number, ratio: number): number => mulDivDown(futureE8, ratio, ratioScale)

/**
 * Returns the number of business days from the first of the UTC month through the day of `millis`. Business days are
 * Monday to Friday except `holidays`, which have the form `2026-11-26`.
 */
export const businessDayOfMonth = (millis: number, holidays: ReadonlySet<string>): number => {
  const day = new Date(millis)
  let count = 0
  for (let date = 1; date <= day.getUTCDate(); date++) {
    const each = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), date))
    const isWeekend = each.getUTCDay() === 0 || each.getUTCDay() === 6
    if (!isWeekend && !holidays.has(each.toISOString().slice(0, 10))) count++
  }
  return count
}

/**
 * Returns the front month's weight in percent: 100 through business day 5, then 20 less each day, down to 0 (rule
 * 3.9).
 */
export const frontPercent = (businessDay: number): number => Math.max(0, Math.min(100, 100 - 20 * (businessDay - 5)))

/** Returns a commodity's price from its front-month and next-month futures, rounded to the nearest 1e-8 (rule 3.9). */
export const rolled = (frontE8: number, nextE8: number, percent: number): number =>
  nextE8 + Math.round(((frontE8 - nextE8) * percent) / 100)

const rolledCommodities: ReadonlySet<string> = new Set(["CL", "COPPER", "NATGAS"])

/** Scale of a ratio: 1e12 stands for 1. */
export const ratioScale = 1_000_000_000_000
