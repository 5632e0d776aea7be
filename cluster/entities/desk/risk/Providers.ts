/**
 * A desk's liquidity providers. A provider joins its markets before its appointment takes effect. A joined market has
 * a wake-up entry, so a restarted desk loads the provider, which then responds to every takeover.
 */
import { type AppointProvider } from "@venue/domain/Trader"
import { type ProviderLimit } from "@venue/domain/Balance"
import { Effect } from "effect"
import * as TraderCalls from "../traders/TraderCalls.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"

/** Joins the appointment's listed markets, unless the limit is 0, and waits until the trader is live. */
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

/** Returns the limits of all providers. Reads only loaded traders, because every provider is loaded. */
export const limits = (traders: Traders): ReadonlyArray<ProviderLimit> => {
  const limits: Array<ProviderLimit> = []
  for (const { ledger, userId } of traders.all()) {
    for (const { accountId, providerLimits } of ledger.accounts.values()) {
      for (const [symbol, limit] of providerLimits) limits.push({ userId, accountId, symbol, limit })
    }
  }
  return limits
}
