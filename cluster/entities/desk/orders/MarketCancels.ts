/** The cancels of an account's orders after a lost connection or a dead-man switch, market by market. */
import type { Id } from "@venue/domain/Id"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Lost, OrderTimes } from "./OrderTimes.ts"
import type { Trader } from "../traders/Trader.ts"

export interface MarketCancels {
  readonly trader: Trader
  /** Cancels in every market that answers and has not recorded it; true once all have. */
  readonly goOn: () => boolean
}

export interface Sent {
  readonly commandId: Id
  readonly expiresAtMillis: number
}

export const make = (
  trader: Trader,
  lost: Lost,
  { after }: Pick<OrderTimes, "after">,
  now: () => number,
  /** What the next cancel in that market is sent as. */
  next: (symbol: MarketSymbol) => Sent
): MarketCancels => {
  const sent = new Map<MarketSymbol, Sent>()
  const recorded = new Set<MarketSymbol>()

  const cancel = (symbol: MarketSymbol) => {
    const except = after(trader, lost, symbol)
    const envelope = next(symbol)
    const isTaken = trader.enter({
      _tag: "CancelAllOrders",
      ...envelope,
      accountId: lost.accountId,
      symbol,
      cause: "DISCONNECT",
      ...(except.length === 0 ? {} : { except })
    })
    if (isTaken) sent.set(symbol, envelope)
  }
  return {
    trader,
    goOn: () => {
      const symbols = trader.symbols()
      for (const symbol of symbols) {
        if (recorded.has(symbol) || !trader.isLive(symbol)) continue
        const last = sent.get(symbol)
        if (last !== undefined && isOnItsWay(trader, symbol, last)) continue
        // One that was recorded in time did its work; one that waited too long for its market is sent again.
        if (last !== undefined && now() <= last.expiresAtMillis) recorded.add(symbol)
        else cancel(symbol)
      }
      return symbols.every((symbol) => recorded.has(symbol))
    }
  }
}

/** It may wait at the desk behind an order that adds risk, until all markets of the trader have told their views. */
const isOnItsWay = (trader: Trader, symbol: MarketSymbol, { commandId }: Sent): boolean =>
  trader.ledger.inFlight.has(commandId.text) || trader.waits(symbol, commandId)
