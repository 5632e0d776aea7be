/** Cancel-on-disconnect: which connections are armed, which gateways still live, and what happens when one ends. */
import type { AccountId } from "@venue/domain/AccountId"
import type { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import * as Ledger from "@venue/ledger/Ledger"
import { Clock, Effect, Schedule } from "effect"
import { SingleProcess } from "../../SingleProcess.ts"
import * as Beat from "../../protocol/Beat.ts"
import { deskOf } from "../../protocol/Desk.ts"
import { Ids } from "../../clients/Ids.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import * as Endings from "./Endings.ts"
import * as Leases from "./Leases.ts"
import type { Trader } from "./Trader.ts"
import type { Traders } from "./Traders.ts"

export interface Connection {
  readonly connectionId: string
  readonly userId: UserId
  readonly accountId: AccountId
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

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const journal = yield* Journal
  const clock = yield* Clock.Clock
  const started = yield* SingleProcess
  const { desks, leaseMillis } = yield* VenueSettings
  const now = () => clock.currentTimeMillisUnsafe()
  const leases = Leases.make(leaseMillis, now)
  const endings = Endings.make(yield* Ids, now)
  /** Armed in an earlier process, by a gateway that is gone. */
  const orphans = new Set<string>()
  let lookedAtMillis = now()
  /** While nothing is armed, it is of no interest who lives. */
  let isLooking = false

  const end = (connectionId: string, trader: Trader) => {
    if (!endings.end(connectionId, trader)) return
    orphans.delete(connectionId)
    leases.forget(connectionId)
  }
  const lookAtAll = () => {
    const jumpedMillis = Math.abs(now() - lookedAtMillis)
    lookedAtMillis = now()
    // This process itself was frozen, or its clock was set: what it has not heard proves nothing about the gateways.
    if (jumpedMillis > frozenMillis) return leases.restart()
    for (const [connectionId, trader] of armed(traders)) {
      const hasEnded = endings.hasBegun(connectionId) || now() - leases.lastSeenMillis(connectionId) > leaseMillis
      if (hasEnded) end(connectionId, trader)
    }
    leases.expire()
  }
  const looks = yield* Beat.make(
    lookMillis,
    Effect.sync(() => {
      lookAtAll()
      isLooking = isAnyArmed(traders)
      if (!isLooking) leases.clear()
      return isLooking
    })
  )
  const look = (trader: Trader) => {
    if (isLooking || Ledger.armed(trader.ledger).size === 0) return
    isLooking = true
    lookedAtMillis = now()
    looks.start()
  }
  for (const trader of traders.all()) look(trader)

  const wakeArmed = Effect.fnUntraced(function* (deskId: string) {
    const entries = yield* journal.wakeUps().pipe(Effect.retry(Schedule.spaced("500 millis")), Effect.orDie)
    const userIds = entries.map(({ userId }) => userId).filter((userId) => deskOf(userId, desks) === deskId)
    yield* wakeOrKeep(traders, new Set(userIds))
    if (started === undefined || started.has(deskId)) return
    started.add(deskId)
    for (const [connectionId, trader] of armed(traders)) {
      orphans.add(connectionId)
      end(connectionId, trader)
    }
  })

  return {
    look,
    arming: (connectionId) => {
      if (isLooking) leases.arming(connectionId)
    },
    attach: (gatewayId, { connectionId }) => {
      if (isLooking) leases.attach(gatewayId, connectionId)
    },
    renew: (gatewayId, connections) => {
      if (isLooking) leases.renew(gatewayId, new Set(connections.map(({ connectionId }) => connectionId)))
    },
    detach: (connectionId, trader) => {
      leases.detach(connectionId)
      end(connectionId, trader)
    },
    wakeArmed,
    isEndingOrphans: () => orphans.size > 0,
    isArmed: () => endings.isDisarming() || isAnyArmed(traders)
  } satisfies Disconnects as Disconnects
})

const wakeOrKeep = (traders: Traders, userIds: ReadonlySet<UserId>) =>
  Effect.forEach(
    userIds,
    (userId) => Effect.catch(traders.wake(userId), () => Effect.sync(() => traders.keep(userId))),
    {
      discard: true,
      concurrency: "unbounded"
    }
  )

/** Every armed connection and its trader. */
function* armed(traders: Traders): Generator<readonly [connectionId: string, trader: Trader]> {
  for (const trader of traders.all()) {
    for (const connectionId of Ledger.armed(trader.ledger).keys()) yield [connectionId, trader]
  }
}

const isAnyArmed = (traders: Traders): boolean => {
  for (const _ of armed(traders)) return true
  return false
}

/** Connections and gateways are looked at this often. */
const lookMillis = 500
/** A look that comes this late says that the process stood still. */
const frozenMillis = 2_000
