/** What one source says of a symbol: its price on the spot, by the future of an index, or by futures of two months. */
import * as Futures from "@venue/domain/Futures"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Contracts } from "@venue/providers/prices/PriceSource"

/** What is known of indices and of the exchange's calendar. */
export interface Reference {
  /** Of each index the ratio to its future, in 1e-12. */
  readonly ratios: ReadonlyMap<MarketSymbol, number>
  readonly holidays: ReadonlySet<string>
}

/** `said` gives what the source told of a contract recently. Undefined while something is wanting (rule 3.8, rule 3.9). */
export const of = (
  symbol: MarketSymbol,
  contracts: Contracts,
  said: (contract: string) => number | undefined,
  { holidays, ratios }: Reference,
  atMillis: number
): number | undefined => {
  if ("spot" in contracts) return said(contracts.spot)
  if ("future" in contracts) {
    const future = said(contracts.future)
    const ratio = ratios.get(symbol)
    return future === undefined || ratio === undefined ? undefined : Futures.indexPrice(future, ratio)
  }
  const percent = Futures.frontPercent(Futures.businessDayOfMonth(atMillis, holidays))
  const [thisMonth = "", nextMonth = ""] = monthsAt(atMillis)
  const priceIn = (month: string) => {
    const contract = contracts.months[month]
    return contract === undefined ? undefined : said(contract)
  }
  // A month that the price is not made of is not looked at: it may be old.
  if (percent === 100) return priceIn(thisMonth)
  if (percent === 0) return priceIn(nextMonth)
  const [front, next] = [priceIn(thisMonth), priceIn(nextMonth)]
  return front === undefined || next === undefined ? undefined : Futures.rolled(front, next, percent)
}

/** Names the contracts that a symbol's price is made of, at any time. */
export const contractsOf = (contracts: Contracts): ReadonlyArray<string> => {
  if ("spot" in contracts) return [contracts.spot]
  return "future" in contracts ? [contracts.future] : Object.values(contracts.months)
}

/** This month and the next, UTC, written `2026-11`. */
function monthsAt(atMillis: number): ReadonlyArray<string> {
  const now = new Date(atMillis)
  return [0, 1].map((ahead) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)).toISOString().slice(0, 7)
  )
}
