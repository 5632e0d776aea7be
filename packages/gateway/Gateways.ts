/**
 * Services of a process that serves traders: the trade gateway, the market-data gateway and their queries of past
 * data.
 */
import { Layer } from "effect"
import { History } from "./History.ts"
import { Figures } from "./marketData/Figures.ts"
import { MarketDataGateway } from "./marketData/MarketDataGateway.ts"
import { TradeGateway } from "./trade/TradeGateway.ts"

export const layer = Layer.mergeAll(TradeGateway.layer, MarketDataGateway.layer, Figures.layer).pipe(
  Layer.provideMerge(History.layer)
)
