/** A symbol's price from one source: the spot price, or a price derived from one or two months' futures. */
import * as Futures from "@venue/domain/Futures"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Contracts } from "@venue/providers/prices/PriceSource"

/** Reference data for prices that are derived from futures. */
export interface Reference {
  /** Ratio of each index to its future, in 1e-12. */
  readonly ratios: ReadonlyMap<MarketSymbol, number>
  /** Exchange holidays, written `2026-11-26`. */
  readonly holidays: ReadonlySet<string>
}

/**
 * Returns a symbol's price, or undefined if an input is missing (rule 3.8, rule 3.9). `priceOf` returns a contract's
 * current price in 1e-8 USD.
 */
export const of = (
  symbol: MarketSymbol,
  contracts: Contracts,
  priceOf: (contract: string) => number | undefined,
  { holidays, ratios }: Reference,
  atMillis: number
): number | undefined => {
  if ("spot" in contracts) return priceOf(contracts.spot)
  if ("future" in contracts) {
    const future = priceOf(contracts.future)
    const ratio = ratios.get(symbol)
    return future === undefined || ratio === undefined ? undefined : Futures.indexPrice(future, ratio)
  }
  const percent = Futures.frontPercent(Futures.businessDayOfMonth(atMillis, holidays))
  const [thisMonth = "", nextMonth = ""] = monthsAt(atMillis)
  const priceIn = (month: string) => {
    const contract = contracts.months[month]
    return contract === undefined ? undefined : priceOf(contract)
  }
  // A month with a weight of 0 is ignored, because its price might be old.
  if (percent === 100) return priceIn(thisMonth)
  if (percent === 0) return priceIn(nextMonth)
  const [front, next] = [priceIn(thisMonth), priceIn(nextMonth)]
  return front === undefined || next === undefined ? undefined : Futures.rolled(front, next, percent)
}

/** Returns all contracts from which a symbol's price can be derived at any time. */
export const contractsOf = (contracts: Contracts): ReadonlyArray<string> => {
  if ("spot" in contracts) return [contracts.spot]
  return "future" in contracts ? [contracts.future] : Object.values(contracts.months)
}

/** Returns the current and the next month in UTC, written `2026-11`. */
function monthsAt(atMillis: number): ReadonlyArray<string> {
  const now = new Date(atMillis)
  return [0, 1].map((ahead) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)).toISOString().slice(0, 7)
  )
}
