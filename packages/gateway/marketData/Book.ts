/** The levels of a market as a listener hears them: sorted, or the best one of each side. */
import type { PriceLevel } from "@venue/api/marketData/Frame"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"

/** The feed keeps the levels of each side by price, in no order. */
export interface Book {
  readonly levels: (symbol: MarketSymbol, side: "BUY" | "SELL") => ReadonlyMap<number, number>
}

export const bids = (book: Book, symbol: MarketSymbol): ReadonlyArray<PriceLevel> =>
  sorted(book.levels(symbol, "BUY"), -1)

export const asks = (book: Book, symbol: MarketSymbol): ReadonlyArray<PriceLevel> =>
  sorted(book.levels(symbol, "SELL"), 1)

export const bestBid = (book: Book, symbol: MarketSymbol): PriceLevel | undefined =>
  best(book.levels(symbol, "BUY"), -1)

export const bestAsk = (book: Book, symbol: MarketSymbol): PriceLevel | undefined =>
  best(book.levels(symbol, "SELL"), 1)

const sorted = (levels: ReadonlyMap<number, number>, direction: 1 | -1): ReadonlyArray<PriceLevel> =>
  Array.from(levels, ([priceTicks, quantityLots]) => ({ priceTicks, quantityLots })).sort(
    (a, b) => direction * (a.priceTicks - b.priceTicks)
  )

function best(levels: ReadonlyMap<number, number>, direction: 1 | -1): PriceLevel | undefined {
  let found: PriceLevel | undefined
  for (const [priceTicks, quantityLots] of levels) {
    if (found === undefined || direction * (priceTicks - found.priceTicks) < 0) found = { priceTicks, quantityLots }
  }
  return found
}
