/** The cancels of armed connections that have ended, market by market, until all of them are recorded. */
import type { AccountId } from "@venue/domain/AccountId"
import type { Id } from "@venue/domain/Id"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Ledger from "@venue/ledger/Ledger"
import type { Trader } from "./Trader.ts"

export interface Endings {
  /** Goes on with the end of a connection; true once it is over and nothing is left to do. */
  readonly end: (connectionId: string, trader: Trader) => boolean
  /** An end that has begun is gone on with, whatever is heard of the connection. */
  readonly hasBegun: (connectionId: string) => boolean
  /** Whether cancels are recorded of connections that are still armed by what is recorded. */
  readonly isDisarming: () => boolean
}

/** The cancels of one connection, by market. It stays armed until all of them are recorded. */
interface Ending {
  readonly trader: Trader
  readonly accountId: AccountId
  readonly sent: Map<MarketSymbol, { readonly commandId: Id; readonly expiresAtMillis: number }>
  readonly recorded: Set<MarketSymbol>
}

export const make = (ids: { readonly next: () => Id }, now: () => number): Endings => {
  const endings = new Map<string, Ending>()
  /** Whose cancels are recorded, and that they are armed no longer is not. */
  const disarming = new Set<string>()

  /** Cancels in every market that answers; true once all have recorded it. */
  const cancelled = ({ accountId, recorded, sent, trader }: Ending): boolean => {
    const symbols = trader.symbols()
    for (const symbol of symbols) {
      if (recorded.has(symbol) || !trader.isLive(symbol)) continue
      const last = sent.get(symbol)
      if (last !== undefined && trader.ledger.inFlight.has(last.commandId.text)) continue
      // One that was recorded in time did its work; one that waited too long for its market is sent again.
      if (last !== undefined && now() <= last.expiresAtMillis) {
        recorded.add(symbol)
        continue
      }
      const commandId = ids.next()
      const expiresAtMillis = now() + cancelExpiryMillis
      const cancel = {
        _tag: "CancelAllOrders",
        commandId,
        expiresAtMillis,
        accountId,
        symbol,
        cause: "DISCONNECT"
      } as const
      if (trader.enter(cancel)) {
        sent.set(symbol, { commandId, expiresAtMillis })
      }
    }
    return symbols.every((symbol) => recorded.has(symbol))
  }

  return {
    end: (connectionId, trader) => {
      const accountId = Ledger.armed(trader.ledger).get(connectionId)
      if (accountId === undefined) {
        endings.delete(connectionId)
        return true
      }
      let ending = endings.get(connectionId)
      if (ending?.trader !== trader) {
        ending = { trader, accountId, sent: new Map(), recorded: new Set() }
        endings.set(connectionId, ending)
      }
      if (!cancelled(ending)) return false
      endings.delete(connectionId)
      disarming.add(connectionId)
      trader.change({ _tag: "Arm", connectionId, accountId, armed: false }, () => void disarming.delete(connectionId))
      return true
    },
    hasBegun: (connectionId) => endings.has(connectionId),
    isDisarming: () => disarming.size > 0
  }
}

/** A cancel after a lost connection has time to wait for its market. */
const cancelExpiryMillis = 60_000
