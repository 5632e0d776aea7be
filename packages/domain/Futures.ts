/** Outside prices that are made of futures: indices and commodities that are rolled (rule 3.8, rule 3.9). In 1e-8 USD. */
import { mulDivDown } from "./Decimal.ts"

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

const ratioScale = 1_000_000_000_000
