/** Leaving a market. Possible only if the user's state there can change through commands from the trader alone. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { LeaveMarkets, Left } from "@venue/domain/Trader"
import type { Exposure } from "./Exposure.ts"
import type { Trader } from "./Trader.ts"

/** Returns an event for each of the markets that the trader leaves. */
export const leave = (trader: Trader, { symbols }: LeaveMarkets, atMillis: number): ReadonlyArray<Left> =>
  symbols.filter((symbol) => mayLeave(trader, symbol)).map((symbol) => ({ _tag: "Left", symbol, atMillis }))

/**
 * Returns true if the trader can leave the market. A connection with cancel on disconnect needs the trader at its
 * desk, and a builder earns rewards from other users' fills.
 */
const mayLeave = (trader: Trader, symbol: MarketSymbol): boolean => {
  if (!trader.joined.has(symbol) || trader.left.has(symbol)) return false
  if (trader.armed.size > 0 || trader.builderMarkets.has(symbol)) return false
  for (const twap of trader.twaps.values()) if (twap.symbol === symbol) return false
  for (const { exposures, providerLimits } of trader.accounts.values()) {
    if (providerLimits.has(symbol)) return false
    const exposure = exposures.get(symbol)
    if (exposure !== undefined && !isEmpty(exposure)) return false
  }
  return true
}

const isEmpty = ({ frozen, holds, pending, position, stops }: Exposure): boolean =>
  position.quantityLots === 0 && holds.size === 0 && stops.size === 0 && pending === 0 && !frozen
