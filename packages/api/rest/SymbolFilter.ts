/** Symbols of a query, comma between. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"

/** In any letter case; what is blank or named before is left out. Undefined where none is left, so that all are meant. */
export const symbolsOf = (list: string | undefined): ReadonlyArray<MarketSymbol> | undefined => {
  const names = (list ?? "").split(",").map((name) => name.trim().toUpperCase())
  const symbols = [...new Set(names)].filter((name) => name !== "").map((name) => MarketSymbol.make(name))
  return symbols.length === 0 ? undefined : symbols
}
