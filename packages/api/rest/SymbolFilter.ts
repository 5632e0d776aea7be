/** Query parameter with a list of symbols. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"

export const symbolsParameter = {
  type: "string",
  description: "Symbols, separated by commas, in any letter case. Default: all markets.",
  examples: ["GOLD-USD,AAPL-USD"]
}

/** Returns the symbols in upper case without blanks and duplicates, or undefined (all symbols) if the list is empty. */
export const symbolsOf = (list: string | undefined): ReadonlyArray<MarketSymbol> | undefined => {
  const names = (list ?? "").split(",").map((name) => name.trim().toUpperCase())
  const symbols = [...new Set(names)].filter((name) => name !== "").map((name) => MarketSymbol.make(name))
  return symbols.length === 0 ? undefined : symbols
}
