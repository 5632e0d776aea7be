/** Outside prices that are made of futures: indices and commodities that are rolled (rule 3.8, rule 3.9). In 1e-8 USD. */
import { mulDivDown } from "./Decimal.ts"
import type { Instrument } from "./Instrument.ts"

/** A dated future, which the oracle uses up to and with an instant, as its exchange names it. */
export interface DatedFuture {
  readonly futureSymbol: string
  readonly activeUntilMillis: number
  readonly expirationMillis: number
}

/** It is in use from the first instant to the last; where two meet, the earlier one is (rule 3.10). */
export interface ActiveFuture extends DatedFuture {
  readonly activeFromMillis: number
}

/** Tells the underliers that futures price: every index, and the commodities that are rolled (rule 3.10). */
export const isFuturesBased = ({ base, category }: Pick<Instrument, "base" | "category">): boolean =>
  category === "INDEX" || rolledCommodities.has(base)

/** Gives futures of which each is in use from the end of the one before it. */
export const chained = (activeFromMillis: number, futures: ReadonlyArray<DatedFuture>): ReadonlyArray<ActiveFuture> =>
  futures.map((future, index) => ({
    ...future,
    activeFromMillis: index === 0 ? activeFromMillis : futures[index - 1]!.activeUntilMillis
  }))

/** The future that does not fit, and what would. */
export interface CalendarFlaw {
  readonly index: number
  readonly term: keyof DatedFuture
  readonly expected: string
}

/** Says what is wrong with futures that are to follow each other (rule 3.10). */
export const calendarFlaw = (
  activeFromMillis: number,
  futures: ReadonlyArray<DatedFuture>
): CalendarFlaw | undefined => {
  const seen = new Set<string>()
  for (const [index, future] of chained(activeFromMillis, futures).entries()) {
    const flaw = (term: keyof DatedFuture, expected: string): CalendarFlaw => ({ index, term, expected })
    if (seen.has(future.futureSymbol)) return flaw("futureSymbol", "a future that is named once")
    if (future.activeUntilMillis <= future.activeFromMillis)
      return flaw("activeUntilMillis", "later than the future begins, which is where the one before it ends")
    if (future.expirationMillis < future.activeUntilMillis)
      return flaw("expirationMillis", "no earlier than the future is in use")
    seen.add(future.futureSymbol)
  }
  return undefined
}

/** Gives what a unit of the index is worth in units of its future, in 1e-12, rounded down (rule 3.8). */
export const spotToFutureRatio = (officialCloseE8: number, settlementE8: number): number =>
  mulDivDown(officialCloseE8, ratioScale, settlementE8)

/** Gives an index by its future, rounded down (rule 3.8). */
export const indexPrice = (futureE8: number, ratio: number): number => mulDivDown(futureE8, ratio, ratioScale)

/**
 * Counts the business days of a month up to a day, UTC: Monday to Friday but for the holidays, which are written
 * `2026-11-26`.
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

/** Gives the percentage of the front month: a fifth leaves it each business day from the 6th to the 10th (rule 3.9). */
export const frontPercent = (businessDay: number): number => Math.max(0, Math.min(100, 100 - 20 * (businessDay - 5)))

/** Gives a commodity by the futures of two months (rule 3.9). */
export const rolled = (frontE8: number, nextE8: number, percent: number): number =>
  nextE8 + Math.round(((frontE8 - nextE8) * percent) / 100)

/** By their bases. */
const rolledCommodities: ReadonlySet<string> = new Set(["CL", "COPPER", "NATGAS"])

/** A ratio of 1. */
export const ratioScale = 1_000_000_000_000
