/**
 * Margin that a desk's liquidity providers have pledged to markets. Margin pledged to one market is not offered to
 * another, so that simultaneous takeovers in several markets cannot bring a provider near liquidation.
 */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type Account, available } from "@venue/ledger/Account"

export interface ProviderMargins {
  /**
   * Pledges an account's margin to a market and returns the pledge in 1e-6 USD. The unpledged margin is divided
   * equally among this market and all markets with open takeovers and no pledge yet. The account must be refreshed
   * first.
   */
  readonly pledge: (account: Account, symbol: MarketSymbol) => bigint
  /** Records a market with an open takeover. */
  readonly opened: (symbol: MarketSymbol) => void
  /** Releases the pledges to a market after its last takeover has closed. */
  readonly ended: (symbol: MarketSymbol) => void
}

export const make = (): ProviderMargins => {
  const open = new Set<MarketSymbol>()
  const pledges = new Map<Account, Map<MarketSymbol, bigint>>()

  return {
    pledge: (account, symbol) => {
      const others = new Map(pledges.get(account))
      others.delete(symbol)
      let unused = available(account)
      for (const amount of others.values()) unused -= amount
      let sharing = 1n
      for (const other of open) {
        if (other !== symbol && !others.has(other) && account.providerLimits.has(other)) sharing++
      }
      const pledged = unused > 0n ? unused / sharing : 0n
      pledges.set(account, others.set(symbol, pledged))
      return pledged
    },
    opened: (symbol) => void open.add(symbol),
    ended: (symbol) => {
      open.delete(symbol)
      for (const [account, pledged] of pledges) {
        pledged.delete(symbol)
        if (pledged.size === 0) pledges.delete(account)
      }
    }
  }
}
