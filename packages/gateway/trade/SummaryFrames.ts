/** Frames with an account's positions and balance, for one connection. */
import * as Frame from "@venue/api/trade/Frame"
import type { AccountSummary } from "@venue/cluster/protocol/Desk"
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Holding } from "@venue/domain/Balance"
import type { Subscriptions } from "./Subscriptions.ts"

/** Returns the positions in these symbols (default: all) and then the balance, limited to the subscribed channels. */
export const of = (
  subscriptions: Subscriptions,
  instruments: ReadonlyMap<MarketSymbol, Instrument>,
  { balance, holdings }: AccountSummary,
  symbols?: ReadonlySet<MarketSymbol>
): ReadonlyArray<string> => {
  const { channels } = subscriptions
  const frames: Array<string> = []
  if (channels.has("positions")) {
    for (const holding of holdings) {
      if (symbols !== undefined && !symbols.has(holding.symbol)) continue
      const frame = Frame.positionResponse(instruments.get(holding.symbol)!, holding)
      if (isNew(subscriptions, holding, frame)) frames.push(frame)
    }
  }
  if (channels.has("balances")) frames.push(Frame.balanceResponse(balance))
  return frames
}

/** True for an open position, and for a closed position whose frame differs from its last one. */
const isNew = ({ flat }: Subscriptions, { openOrders, quantityLots, symbol }: Holding, frame: string): boolean => {
  const isFlat = quantityLots === 0 && openOrders === 0
  if (isFlat && flat.get(symbol) === frame) return false
  if (isFlat) flat.set(symbol, frame)
  else flat.delete(symbol)
  return true
}
