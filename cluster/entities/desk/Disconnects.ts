/** Cancel-on-disconnect: which connections are armed, which gateways still live, and what happens when one ends. */
import type { Id } from "@venue/domain/Id"
import { Journal } from "@venue/journal/Journal"
import * as Ledger from "@venue/ledger/Ledger"
import { Clock, Effect, Schedule } from "effect"
import { SingleProcess } from "../../SingleProcess.ts"
import * as Beat from "../../protocol/Beat.ts"
import { deskOf } from "../../protocol/Desk.ts"
import { Ids } from "../../clients/Ids.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import type { Trader } from "./Trader.ts"
import type { Traders } from "./Traders.ts"

export interface Connection {
  readonly connectionId: string
  readonly userId: string
  readonly accountId: string
}

export interface Disconnects {
  readonly attach: (gatewayId: string, connection: Connection) => void
  /** A trader is here, or its journal has a new row: leases are kept for as long as some connection is armed. */
  readonly look: (trader: Trader) => void
  /** A connection is about to be armed, so its gateway lives, which may have renewed nothing before. */
  readonly arming: (connectionId: string) => void
  /** A gateway lives, and these are all the connections it has here that may be armed. */
  readonly renew: (gatewayId: string, connections: ReadonlyArray<Connection>) => void
  readonly detach: (connectionId: string, trader: Trader) => void
  /** Takes in the traders of this desk that left something behind; what dead gateways armed begins to end. */
  readonly wakeArmed: (deskId: string) => Effect.Effect<void>
  /** Whether connections that dead gateways armed have not ended yet. */
  readonly isEndingOrphans: () => boolean
  /** Whether a connection is armed, or that it is so no longer is not recorded yet. */
  readonly isArmed: () => boolean
}

interface Gateway {
  renewedAtMillis: number
  connectionIds: Set<string>
}

/** The cancels of a connection that ended, by market. It stays armed until all of them are recorded. */
interface Ending {
  readonly trader: Trader
  readonly accountId: string
  readonly sent: Map<string, { readonly commandId: Id; readonly expiresAtMillis: number }>
  readonly recorded: Set<string>
}

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const journal = yield* Journal
  const clock = yield* Clock.Clock
  const ids = yield* Ids
  const started = yield* SingleProcess
  const { desks, leaseMillis } = yield* VenueSettings
  const now = () => clock.currentTimeMillisUnsafe()
  /** Forgotten once they have been silent for a lease. */
  const gateways = new Map<string, Gateway>()
  /** When an armed connection that no gateway names was first missed. */
  const missedAtMillis = new Map<string, number>()
  const endings = new Map<string, Ending>()
  /** Armed in an earlier process, by a gateway that is gone. */
  const orphans = new Set<string>()
  /** Whose cancels are recorded, and that they are armed no longer is not. */
  const disarming = new Set<string>()
  let sweptAtMillis = now()
  /** While nothing is armed, it is of no interest who lives. */
  let isSweeping = false

  const end = (connectionId: string, trader: Trader) => {
    const accountId = Ledger.armed(trader.ledger).get(connectionId)
    if (accountId === undefined) return forget(connectionId)
    let ending = endings.get(connectionId)
    if (ending?.trader !== trader) {
      ending = { trader, accountId, sent: new Map(), recorded: new Set() }
      endings.set(connectionId, ending)
    }
    if (!cancelled(ending)) return
    forget(connectionId)
    disarming.add(connectionId)
    trader.change({ _tag: "Arm", connectionId, accountId, armed: false }, () => void disarming.delete(connectionId))
  }
  const forget = (connectionId: string) => {
    endings.delete(connectionId)
    orphans.delete(connectionId)
    missedAtMillis.delete(connectionId)
  }
  /** Cancels in every market that answers; true once all have recorded it. */
  const cancelled = ({ accountId, recorded, trader, sent }: Ending): boolean => {
    const symbols = trader.symbols()
    for (const symbol of symbols) {
      if (recorded.has(symbol) || !trader.isLive(symbol)) continue
      const cancel = sent.get(symbol)
      if (cancel !== undefined && trader.ledger.inFlight.has(cancel.commandId.text)) continue
      // One that was recorded in time did its work; one that waited too long for its market is sent again.
      if (cancel !== undefined && now() <= cancel.expiresAtMillis) {
        recorded.add(symbol)
        continue
      }
      const commandId = ids.next()
      const expiresAtMillis = now() + cancelExpiryMillis
      if (trader.enter({ _tag: "CancelAllOrders", commandId, expiresAtMillis, accountId, symbol })) {
        sent.set(symbol, { commandId, expiresAtMillis })
      }
    }
    return symbols.every((symbol) => recorded.has(symbol))
  }

  const lastSeen = (connectionId: string): number => {
    for (const gateway of gateways.values()) {
      if (gateway.connectionIds.has(connectionId)) {
        missedAtMillis.delete(connectionId)
        return gateway.renewedAtMillis
      }
    }
    const missed = missedAtMillis.get(connectionId)
    if (missed === undefined) missedAtMillis.set(connectionId, now())
    return missed ?? now()
  }
  const endOrphans = () => {
    for (const trader of traders.all()) {
      for (const connectionId of Ledger.armed(trader.ledger).keys()) {
        orphans.add(connectionId)
        end(connectionId, trader)
      }
    }
  }
  const isAnyArmed = () => {
    for (const trader of traders.all()) if (Ledger.armed(trader.ledger).size > 0) return true
    return false
  }
  const look = (trader: Trader) => {
    if (isSweeping || Ledger.armed(trader.ledger).size === 0) return
    isSweeping = true
    sweptAtMillis = now()
    sweeps.start()
  }
  const sweep = () => {
    const jumpedMillis = Math.abs(now() - sweptAtMillis)
    sweptAtMillis = now()
    // This process itself was frozen, or its clock was set: what it has not heard proves nothing about the gateways.
    if (jumpedMillis > frozenMillis) {
      for (const gateway of gateways.values()) gateway.renewedAtMillis = now()
      missedAtMillis.clear()
      return
    }
    for (const trader of traders.all()) {
      for (const connectionId of Ledger.armed(trader.ledger).keys()) {
        if (endings.has(connectionId) || now() - lastSeen(connectionId) > leaseMillis) end(connectionId, trader)
      }
    }
    for (const [gatewayId, { renewedAtMillis }] of gateways) {
      if (now() - renewedAtMillis > leaseMillis) gateways.delete(gatewayId)
    }
  }
  const sweeps = yield* Beat.make(
    sweepMillis,
    Effect.sync(() => {
      sweep()
      isSweeping = isAnyArmed()
      if (!isSweeping) {
        gateways.clear()
        missedAtMillis.clear()
      }
      return isSweeping
    })
  )
  for (const trader of traders.all()) look(trader)

  const wakeArmed = Effect.fnUntraced(function* (deskId: string) {
    const entries = yield* journal.wakeUps().pipe(Effect.retry(Schedule.spaced("500 millis")), Effect.orDie)
    const userIds = new Set(entries.map(({ userId }) => userId).filter((userId) => deskOf(userId, desks) === deskId))
    yield* Effect.forEach(
      userIds,
      (userId) => Effect.catch(traders.wake(userId), () => Effect.sync(() => traders.keep(userId))),
      { discard: true, concurrency: "unbounded" }
    )
    if (started === undefined || started.has(deskId)) return
    started.add(deskId)
    endOrphans()
  })

  return {
    look,
    arming: (connectionId) => {
      if (!isSweeping) return
      for (const { connectionIds } of gateways.values()) connectionIds.delete(connectionId)
      missedAtMillis.set(connectionId, now())
    },
    attach: (gatewayId, { connectionId }) => {
      if (!isSweeping) return
      const gateway = gateways.get(gatewayId) ?? { renewedAtMillis: 0, connectionIds: new Set() }
      gateways.set(gatewayId, gateway)
      gateway.renewedAtMillis = now()
      gateway.connectionIds.add(connectionId)
    },
    renew: (gatewayId, connections) => {
      if (!isSweeping) return
      const connectionIds = new Set(connections.map(({ connectionId }) => connectionId))
      gateways.set(gatewayId, { renewedAtMillis: now(), connectionIds })
    },
    detach: (connectionId, trader) => {
      for (const { connectionIds } of gateways.values()) connectionIds.delete(connectionId)
      end(connectionId, trader)
    },
    wakeArmed,
    isEndingOrphans: () => orphans.size > 0,
    isArmed: () => disarming.size > 0 || isAnyArmed()
  } satisfies Disconnects as Disconnects
})

const sweepMillis = 500
/** A sweep that comes this late says that the process stood still. */
const frozenMillis = 2_000
/** A cancel after a lost connection has time to wait for its market. */
const cancelExpiryMillis = 60_000
