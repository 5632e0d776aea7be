/** Leaving a market: possible once nothing of the trader there can change without a command of the trader. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { LeaveMarkets, Left } from "@venue/domain/Trader"
import type { Exposure } from "./Exposure.ts"
import type { Trader } from "./Trader.ts"

/** Leaves each of the markets that the trader may leave. */
export const leave = (trader: Trader, { symbols }: LeaveMarkets, atMillis: number): ReadonlyArray<Left> =>
  symbols.filter((symbol) => mayLeave(trader, symbol)).map((symbol) => ({ _tag: "Left", symbol, atMillis }))

/**
 * Tests whether the trader may leave. Armed connections need the trader at its desk, and fills of others earn builder
 * rewards.
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
