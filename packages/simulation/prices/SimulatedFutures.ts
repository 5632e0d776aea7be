/** Simulated futures for development. They derive from the calendar alone, so they are reproducible. */
import { dayMillis, dateOf, dayOf } from "@venue/domain/Day"
import { businessDayOfMonth, type DatedFuture } from "@venue/domain/Futures"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { startPrices } from "./SimulatedPrices.ts"

/** Futures in their order of use, from the first of January of last year to the end of next year. */
export interface SimulatedCalendar {
  readonly activeFromMillis: number
  readonly futures: ReadonlyArray<DatedFuture>
}

/** Prices in 1e-8 USD. */
export interface SimulatedSettlement {
  readonly day: string
  readonly officialCloseE8: number
  readonly settlementE8: number
}

/**
 * Returns a symbol's futures, or undefined if no futures are simulated for it. Commodity futures deliver monthly and
 * are in use until the roll of the preceding month has ended (rule 3.9). Index futures deliver quarterly and are in
 * use until the same business day of the delivery month. Futures expire a week later.
 */
export const calendarOf = (symbol: MarketSymbol, nowMillis: number): SimulatedCalendar | undefined => {
  const root = roots.get(symbol)
  if (root === undefined) return undefined
  const year = new Date(nowMillis).getUTCFullYear() - 1
  const months = Array.from({ length: 36 }, (_, index) => index).filter(
    (month) => month % root.every === root.every - 1
  )
  return {
    activeFromMillis: Date.UTC(year, 0),
    futures: months.map((month) => {
      const delivery = new Date(Date.UTC(year, month + root.ahead))
      return {
        futureSymbol: `${root.name}${letters[delivery.getUTCMonth()]}${delivery.getUTCFullYear() % 10}`,
        activeUntilMillis: startOfBusinessDay(year, month, 10),
        expirationMillis: startOfBusinessDay(year, month, 15)
      }
    })
  }
}

/**
 * Returns settlement prices for the last five business days before today, oldest first. Each equals the starting
 * price, which is below the future's price.
 */
export const settlementsOf = (symbol: MarketSymbol, nowMillis: number): ReadonlyArray<SimulatedSettlement> => {
  const officialCloseE8 = startPrices.get(symbol)
  if (officialCloseE8 === undefined || !roots.has(symbol)) return []
  const settlementE8 = officialCloseE8 + Math.round(officialCloseE8 * premium)
  return Array.from({ length: 7 }, (_, index) => dayOf(nowMillis) - 7 + index)
    .filter((day) => isBusinessDay(day * dayMillis))
    .map((day) => ({ day: dateOf(day), officialCloseE8, settlementE8 }))
}

/** A future delivers every `every` months. `ahead` is the number of months from its last use to its delivery. */
interface Root {
  readonly name: string
  readonly every: number
  readonly ahead: number
}

const ofIndex = { every: 3, ahead: 0 }
const ofCommodity = { every: 1, ahead: 1 }
const roots: ReadonlyMap<MarketSymbol, Root> = new Map([
  [MarketSymbol.make("US500-USD"), { name: "ES", ...ofIndex }],
  [MarketSymbol.make("US100-USD"), { name: "NQ", ...ofIndex }],
  [MarketSymbol.make("CL-USD"), { name: "CL", ...ofCommodity }],
  [MarketSymbol.make("COPPER-USD"), { name: "HG", ...ofCommodity }],
  [MarketSymbol.make("NATGAS-USD"), { name: "NG", ...ofCommodity }]
])

/** Letters that exchanges use for the delivery months, January first. */
const letters = "FGHJKMNQUVXZ"

/** Relative premium of a future over its underlier. */
const premium = 0.003_8

const noHolidays: ReadonlySet<string> = new Set()

const isBusinessDay = (millis: number): boolean => {
  const weekday = new Date(millis).getUTCDay()
  return weekday !== 0 && weekday !== 6
}

function startOfBusinessDay(year: number, month: number, count: number): number {
  let day = Date.UTC(year, month)
  while (businessDayOfMonth(day, noHolidays) < count) day += dayMillis
  return day
}
