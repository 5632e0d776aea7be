/** Cancels an account's orders after a lost connection or a fired dead-man switch, market by market. */
import type { Id } from "@venue/domain/Id"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Cutoff, OrderTimes } from "./OrderTimes.ts"
import type { Trader } from "../traders/Trader.ts"

export interface MarketCancels {
  readonly trader: Trader
  /**
   * Sends each live market its cancel, unless that cancel is in flight or recorded. Returns true once all cancels are
   * recorded.
   */
  readonly advance: () => boolean
}

/** Id and expiry of a cancel command. */
export interface Sent {
  readonly commandId: Id
  readonly expiresAtMillis: number
}

export const make = (
  trader: Trader,
  cutoff: Cutoff,
  { after }: Pick<OrderTimes, "after">,
  now: () => number,
  next: (symbol: MarketSymbol) => Sent
): MarketCancels => {
  const sent = new Map<MarketSymbol, Sent>()
  const recorded = new Set<MarketSymbol>()

  const cancel = (symbol: MarketSymbol) => {
    const except = after(trader, cutoff, symbol)
    const envelope = next(symbol)
    const isTaken = trader.enter({
      _tag: "CancelAllOrders",
      ...envelope,
      accountId: cutoff.accountId,
      symbol,
      cause: "DISCONNECT",
      ...(except.length === 0 ? {} : { except })
    })
    if (isTaken) sent.set(symbol, envelope)
  }
  return {
    trader,
    advance: () => {
      const symbols = trader.symbols()
      for (const symbol of symbols) {
        if (recorded.has(symbol) || !trader.isLive(symbol)) continue
        const last = sent.get(symbol)
        if (last !== undefined && isInFlight(trader, symbol, last)) continue
        // If a cancel is no longer in flight before it expires, the market has executed it. An expired cancel is sent
        // again with a new id.
        if (last !== undefined && now() <= last.expiresAtMillis) recorded.add(symbol)
        else cancel(symbol)
      }
      return symbols.every((symbol) => recorded.has(symbol))
    }
  }
}

/** A cancel might also be queued at the desk, behind an order that waits for all of the trader's markets to be live. */
const isInFlight = (trader: Trader, symbol: MarketSymbol, { commandId }: Sent): boolean =>
  trader.ledger.inFlight.has(commandId.text) || trader.waits(symbol, commandId)
