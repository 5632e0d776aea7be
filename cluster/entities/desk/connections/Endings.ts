/** The cancels of armed connections that have ended, market by market, until all of them are recorded. */
import type { Id } from "@venue/domain/Id"
import * as Ledger from "@venue/ledger/Ledger"
import * as MarketCancels from "../orders/MarketCancels.ts"
import type { Lost, OrderTimes } from "../orders/OrderTimes.ts"
import type { Trader } from "../traders/Trader.ts"

export interface Endings {
  /**
   * Goes on with the end of a connection that was last heard of at that time; true once it is over and nothing is left
   * to do.
   */
  readonly end: (connectionId: string, trader: Trader, heardAtMillis: number) => boolean
  /** An end that has begun is gone on with, whatever is heard of the connection. */
  readonly hasBegun: (connectionId: string) => boolean
  /** It ended, not long ago or now: what comes over it all the same is too late. */
  readonly hasEnded: (connectionId: string) => boolean
  /** It is armed again. */
  readonly revive: (connectionId: string) => void
  /** Whether cancels are recorded of connections that are still armed by what is recorded. */
  readonly isDisarming: () => boolean
}

/** The cancels of one connection. It stays armed until all of them are recorded. */
interface Ending extends MarketCancels.MarketCancels {
  readonly lost: Lost
}

export const make = (ids: { readonly next: () => Id }, now: () => number, times: OrderTimes): Endings => {
  const endings = new Map<string, Ending>()
  /** Whose cancels are recorded, and that they are armed no longer is not. */
  const disarming = new Set<string>()
  const ended = new Set<string>()

  const begin = (trader: Trader, lost: Lost): Ending => ({
    ...MarketCancels.make(trader, lost, times, now, () => ({
      commandId: ids.next(),
      expiresAtMillis: now() + cancelExpiryMillis
    })),
    lost
  })

  return {
    end: (connectionId, trader, heardAtMillis) => {
      const accountId = Ledger.armed(trader.ledger).get(connectionId)
      if (accountId === undefined) {
        endings.delete(connectionId)
        return true
      }
      let ending = endings.get(connectionId)
      if (ending?.trader !== trader) {
        // What is heard of it after its end began changes nothing, nor does it that its trader was loaded again.
        ending = begin(trader, ending?.lost ?? { connectionId, accountId, heardAtMillis })
        endings.set(connectionId, ending)
        remember(ended, connectionId)
      }
      if (!ending.goOn()) return false
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

/** A cancel after a lost connection has time to wait for its market. */
const cancelExpiryMillis = 60_000
/** Orders are on their way for seconds; far fewer connections of one desk end in that time. */
const maxRemembered = 10_000
