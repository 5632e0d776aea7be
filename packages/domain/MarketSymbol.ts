/** The name of a market, such as `AAPL-USD`, whether or not the venue lists it. */
import { Schema } from "effect"

export const MarketSymbol = Schema.String.pipe(Schema.brand("MarketSymbol"))
export type MarketSymbol = typeof MarketSymbol.Type
