/** The open takeovers of each market, as the feed of a node knows them. */
import type { MarketEvent } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { DepthAt } from "../protocol/Market.ts"

/** Signed lots, by market and by the id of the takeover. */
export type OpenTakeovers = Map<MarketSymbol, ReadonlyMap<string, number>>

export const make = (symbols: Iterable<MarketSymbol>): OpenTakeovers =>
  new Map(Array.from(symbols, (symbol) => [symbol, new Map()]))

/** Applies an event of a market's log. */
export const take = (open: OpenTakeovers, symbol: MarketSymbol, event: MarketEvent): void => {
  if (event._tag !== "TakeoverOpened" && event._tag !== "TakeoverClosed") return
  const found = new Map(open.get(symbol))
  if (event._tag === "TakeoverOpened") found.set(event.takeoverId.text, event.quantityLots)
  else found.delete(event.takeoverId.text)
  open.set(symbol, found)
}

/** Takes over what a market states when a watch begins; a market of an older version states none. */
export const reset = (open: OpenTakeovers, symbol: MarketSymbol, stated: DepthAt["takeovers"] = []): void => {
  open.set(symbol, new Map(stated.map(({ quantityLots, takeoverId }) => [takeoverId, quantityLots])))
}
