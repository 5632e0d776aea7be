/**
 * A liquidity provider joins its markets before it counts as one there, so that no market ever has to find a trader. What
 * a trader has joined wakes it after a restart, and so it answers every takeover.
 */
import { type AppointProvider } from "@venue/domain/Trader"
import { type ProviderLimit } from "@venue/domain/Balance"
import { Effect } from "effect"
import * as TraderCalls from "../traders/TraderCalls.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"

/** A market whose limit ends needs no joining; nor does one that is not listed, which the ledger refuses. */
export const joined =
  (
    { limit, symbols }: Pick<AppointProvider, "limit" | "symbols">,
    isListed: (symbol: ProviderLimit["symbol"]) => boolean
  ) =>
  (trader: Trader) =>
    Effect.suspend(() => {
      if (limit > 0) for (const symbol of symbols) if (isListed(symbol)) trader.join(symbol)
      return TraderCalls.live(trader)
    })

/** Of whoever is awake: a provider is. */
export const limits = (traders: Traders): ReadonlyArray<ProviderLimit> => {
  const found: Array<ProviderLimit> = []
  for (const { ledger, userId } of traders.all()) {
    for (const { accountId, providerLimits } of ledger.accounts.values()) {
      for (const [symbol, limit] of providerLimits) found.push({ userId, accountId, symbol, limit })
    }
  }
  return found
}
