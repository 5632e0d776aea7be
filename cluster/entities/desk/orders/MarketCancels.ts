/** Cancels an account's orders after a lost connection or a fired dead-man switch, market by market. */
import type { Id } from "@venue/domain/Id"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Cutoff, OrderTimes } from "./OrderTimes.ts"
import type { Trader } from "../traders/Trader.ts"

export interface MarketCancels {
  readonly trader: Trader
  /**
   * Sends the cancels that are neither in flight nor recorded to every live market. Returns true once all cancels are
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
  /** Returns the id and expiry of the next cancel in a market. */
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
        // A cancel that is no longer in flight before its expiry was executed. An expired cancel is sent again with a
        // new id.
        if (last !== undefined && now() <= last.expiresAtMillis) recorded.add(symbol)
        else cancel(symbol)
      }
      return symbols.every((symbol) => recorded.has(symbol))
    }
  }
}

/** A cancel might also be queued at the desk, behind an order that waits until all of the trader's markets are live. */
const isInFlight = (trader: Trader, symbol: MarketSymbol, { commandId }: Sent): boolean =>
  trader.ledger.inFlight.has(commandId.text) || trader.waits(symbol, commandId)
