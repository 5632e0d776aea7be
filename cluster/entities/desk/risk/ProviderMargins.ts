/**
 * What liquidity providers of a desk have told markets they can pay. What one market may take is not told to another, so that
 * takeovers of several markets at once cannot bring a provider near liquidation itself.
 */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type Account, available } from "@venue/ledger/Account"

export interface ProviderMargins {
  /**
   * Gives what an account may pledge to a market, in 1e-6 USD, and counts it as pledged: what it has not pledged to others,
   * shared with those that have takeovers open and no pledge yet. Refresh the account first.
   */
  readonly pledge: (account: Account, symbol: MarketSymbol) => bigint
  readonly opened: (symbol: MarketSymbol) => void
  /** No takeover is open there any more. */
  readonly ended: (symbol: MarketSymbol) => void
}

export const make = (): ProviderMargins => {
  const open = new Set<MarketSymbol>()
  const given = new Map<Account, Map<MarketSymbol, bigint>>()

  return {
    pledge: (account, symbol) => {
      const others = new Map(given.get(account))
      others.delete(symbol)
      let unused = available(account)
      for (const amount of others.values()) unused -= amount
      let sharing = 1n
      for (const other of open) {
        if (other !== symbol && !others.has(other) && account.providerLimits.has(other)) sharing++
      }
      const pledged = unused > 0n ? unused / sharing : 0n
      given.set(account, others.set(symbol, pledged))
      return pledged
    },
    opened: (symbol) => void open.add(symbol),
    ended: (symbol) => {
      open.delete(symbol)
      for (const [account, pledged] of given) {
        pledged.delete(symbol)
        if (pledged.size === 0) given.delete(account)
      }
    }
  }
}
