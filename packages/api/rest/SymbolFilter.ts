/** Symbols of a query, comma between. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"

/** The parameter, in the description. */
export const symbolsParameter = {
  type: "string",
  description: "Symbols, separated by commas, in any letter case. Default: all.",
  examples: ["GOLD-USD,AAPL-USD"]
}

/** In any letter case; what is blank or named before is left out. Undefined where none is left, so that all are meant. */
export const symbolsOf = (list: string | undefined): ReadonlyArray<MarketSymbol> | undefined => {
  const names = (list ?? "").split(",").map((name) => name.trim().toUpperCase())
  const symbols = [...new Set(names)].filter((name) => name !== "").map((name) => MarketSymbol.make(name))
  return symbols.length === 0 ? undefined : symbols
}
