/** The open takeovers of each market, derived from the feed. */
import type { MarketEvent } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { DepthAt } from "../protocol/Market.ts"

/** Signed lots by market and takeover id. */
export type OpenTakeovers = Map<MarketSymbol, ReadonlyMap<string, number>>

export const make = (symbols: Iterable<MarketSymbol>): OpenTakeovers =>
  new Map(Array.from(symbols, (symbol) => [symbol, new Map()]))

export const apply = (open: OpenTakeovers, symbol: MarketSymbol, event: MarketEvent): void => {
  if (event._tag !== "TakeoverOpened" && event._tag !== "TakeoverClosed") return
  const takeovers = new Map(open.get(symbol))
  if (event._tag === "TakeoverOpened") takeovers.set(event.takeoverId.text, event.quantityLots)
  else takeovers.delete(event.takeoverId.text)
  open.set(symbol, takeovers)
}

/** Replaces a market's takeovers when a watch begins. A market on an older release sends no list of takeovers. */
export const reset = (open: OpenTakeovers, symbol: MarketSymbol, stated: DepthAt["takeovers"] = []): void => {
  open.set(symbol, new Map(stated.map(({ quantityLots, takeoverId }) => [takeoverId, quantityLots])))
}
