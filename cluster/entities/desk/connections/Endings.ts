/**
 * Cancels the orders of armed connections that have closed, with retries until every market has recorded its cancel.
 */
import type { Id } from "@venue/domain/Id"
import * as Ledger from "@venue/ledger/Ledger"
import * as MarketCancels from "../orders/MarketCancels.ts"
import type { Cutoff, OrderTimes } from "../orders/OrderTimes.ts"
import type { Trader } from "../traders/Trader.ts"

export interface Endings {
  /**
   * Cancels the orders of a closed connection that was last seen at `lastSeenMillis`. Returns true once every cancel
   * is recorded, and then disarms the connection. Until then, the caller must call again.
   */
  readonly end: (connectionId: string, trader: Trader, lastSeenMillis: number) => boolean
  /**
   * Whether the cancelling of a connection's orders has begun. Cancelling continues even if the connection's lease is
   * renewed.
   */
  readonly hasBegun: (connectionId: string) => boolean
  /** Whether the connection closed recently, so that new orders over it are refused. */
  readonly hasEnded: (connectionId: string) => boolean
  /** Resets `hasEnded` for a connection that is armed again. */
  readonly revive: (connectionId: string) => void
  /** Whether there is a connection whose cancels are all recorded and whose disarming is not recorded yet. */
  readonly isDisarming: () => boolean
}

/** Cancels for one connection, which stays armed until all cancels are recorded. */
interface Ending extends MarketCancels.MarketCancels {
  readonly cutoff: Cutoff
}

export const make = (ids: { readonly next: () => Id }, now: () => number, times: OrderTimes): Endings => {
  const endings = new Map<string, Ending>()
  /** Connections whose cancels are recorded and whose disarming is not recorded yet. */
  const disarming = new Set<string>()
  const ended = new Set<string>()

  const begin = (trader: Trader, cutoff: Cutoff): Ending => ({
    ...MarketCancels.make(trader, cutoff, times, now, () => ({
      commandId: ids.next(),
      expiresAtMillis: now() + cancelExpiryMillis
    })),
    cutoff
  })

  return {
    end: (connectionId, trader, lastSeenMillis) => {
      const accountId = Ledger.armed(trader.ledger).get(connectionId)
      if (accountId === undefined) {
        endings.delete(connectionId)
        return true
      }
      let ending = endings.get(connectionId)
      if (ending?.trader !== trader) {
        // If the trader was reloaded in between, the first cutoff is kept.
        ending = begin(trader, ending?.cutoff ?? { connectionId, accountId, atMillis: lastSeenMillis })
        endings.set(connectionId, ending)
        remember(ended, connectionId)
      }
      if (!ending.advance()) return false
      endings.delete(connectionId)
      disarming.add(connectionId)
      trader.change({ _tag: "Arm", connectionId, accountId, armed: false }, () => void disarming.delete(connectionId))
      return true
    },
    hasBegun: (connectionId) => endings.has(connectionId),
    hasEnded: (connectionId) => ended.has(connectionId),
    revive: (connectionId) => void ended.delete(connectionId),
    isDisarming: () => disarming.size > 0
  }
}

const remember = (ended: Set<string>, connectionId: string): void => {
  ended.add(connectionId)
  for (const oldest of ended) {
    if (ended.size <= maxRemembered) return
    ended.delete(oldest)
  }
}

/** Lifetime of a cancel after a lost connection, in milliseconds. */
const cancelExpiryMillis = 60_000
/**
 * Maximum number of closed connections to remember. Far fewer of a desk's connections close during the few seconds
 * for which an order is in flight.
 */
const maxRemembered = 10_000
