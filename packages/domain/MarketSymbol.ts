/** Market symbols, such as `AAPL-USD`, listed or not. */
import { Schema } from "effect"

/** Name of a market; not necessarily a listed one. */
export const MarketSymbol = Schema.String.pipe(Schema.brand("MarketSymbol"))
export type MarketSymbol = typeof MarketSymbol.Type
