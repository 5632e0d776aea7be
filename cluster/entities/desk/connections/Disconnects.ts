/** Cancel-on-disconnect. Tracks armed connections and their gateways, and cancels orders when a connection closes. */
import type { OrderRequest } from "@venue/domain/Order"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { Clock, Effect, identity } from "effect"
import { SingleProcess } from "../../../SingleProcess.ts"
import * as Beat from "../../../feed/Beat.ts"
import { Ids } from "../../../clients/Ids.ts"
import { LocalEntities } from "../../../clients/LocalEntities.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import type { SeenConnection } from "../../../protocol/Desk.ts"
import * as Endings from "./Endings.ts"
import * as Gateways from "./Gateways.ts"
import * as Leases from "../markets/Leases.ts"
import * as OrderTimes from "../orders/OrderTimes.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"

export interface Disconnects {
  /** Registers a gateway's connection. Returns false if the user has reached the connection limit. */
  readonly attach: (sender: Gateways.Sender, connection: SeenConnection) => boolean
  /** Starts lease checks if the trader has an armed connection. Called on load and after each journal row. */
  readonly check: (trader: Trader) => void
  /** Starts the lease of a connection that is about to be armed, even before its gateway's first renewal. */
  readonly arming: (connectionId: string, userId: UserId) => void
  /**
   * Renews the leases of a gateway's connections. Returns false until the gateway has listed all its connections
   * since this desk started, because the connection limit requires the full list.
   */
  readonly renew: (sender: Gateways.Sender, connections: ReadonlyArray<SeenConnection>, areAll?: boolean) => boolean
  /** Ends a connection, and cancels its orders if the connection is armed. */
  readonly detach: (sender: Gateways.Sender, connection: SeenConnection, trader: Trader) => void
  /** Removes a gateway that is stopping, together with its connections. */
  readonly leave: (gatewayId: string) => void
  readonly entered: OrderTimes.OrderTimes["entered"]
  readonly after: OrderTimes.OrderTimes["after"]
  /** Whether the request's connection has already closed, so that the connection's cancel would miss the order. */
  readonly isTooLate: (request: OrderRequest, connectionId: string | undefined) => boolean
  /**
   * Ends the connections that an earlier process's gateways had armed. Called when all traders with an armed
   * connection are loaded.
   */
  readonly endOrphans: (deskId: string) => void
  /** Whether orders of connections that an earlier process armed are still being cancelled. */
  readonly isEndingOrphans: () => boolean
  /** Whether any connection is armed or its disarming is not recorded yet. */
  readonly isArmed: () => boolean
}

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const clock = yield* Clock.Clock
  const started = yield* SingleProcess
  const { gateways: gatewaysHere } = yield* LocalEntities
  const { leaseMillis, rateLimits } = yield* VenueSettings
  const now = () => clock.currentTimeMillisUnsafe()
  const gateways = Gateways.make(now, (gatewayId) => gatewaysHere.has(gatewayId))
  const leases = Leases.make(leaseMillis, now, gateways)
  const times = OrderTimes.make(now)
  const endings = Endings.make(yield* Ids, now, times)
  /** Connections that an earlier process's gateway had armed. */
  const orphans = new Set<string>()
  let checkedAtMillis = now()
  let isChecking = false

  const end = (connectionId: string, trader: Trader) => {
    if (!endings.end(connectionId, trader, leases.lastSeenMillis(connectionId))) return
    orphans.delete(connectionId)
    leases.forget(connectionId)
  }
  const checkAll = () => {
    const jumpedMillis = Math.abs(now() - checkedAtMillis)
    checkedAtMillis = now()
    // If this process was frozen or its clock was set, missing renewals prove nothing about the gateways.
    if (jumpedMillis > frozenMillis) return leases.restart()
    for (const [connectionId, trader] of armed(traders)) {
      if (endings.hasBegun(connectionId) || leases.isOver(connectionId, trader.userId)) end(connectionId, trader)
    }
  }
  const checks = yield* Beat.make(
    checkMillis,
    Effect.sync(() => {
      checkAll()
      isChecking = isAnyArmed(traders)
      return isChecking
    })
  )
  const check = (trader: Trader) => {
    times.tidy(trader)
    if (isChecking || Ledger.armed(trader.ledger).size === 0) return
    isChecking = true
    checkedAtMillis = now()
    checks.start()
  }
  for (const trader of traders.all()) check(trader)

  const endOrphans = (deskId: string) => {
    if (started === undefined || started.has(deskId)) return
    started.add(deskId)
    for (const [connectionId, trader] of armed(traders)) {
      orphans.add(connectionId)
      end(connectionId, trader)
    }
  }

  return identity<Disconnects>({
    check,
    arming: (connectionId, userId) => {
      endings.revive(connectionId)
      leases.arming(connectionId, userId)
    },
    attach: (sender, connection) => {
      if (rateLimits && leases.isFull(connection.userId, connection.connectionId)) return false
      leases.renew(sender, [connection])
      return true
    },
    renew: (sender, connections, areAll = false) => {
      leases.renew(sender, connections)
      if (areAll) gateways.noteComplete(sender.gatewayId)
      return gateways.isComplete(sender.gatewayId)
    },
    detach: (sender, connection, trader) => {
      leases.renew(sender, [connection])
      end(connection.connectionId, trader)
      leases.forget(connection.connectionId)
    },
    leave: leases.forgetGateway,
    ...times,
    isTooLate: ({ _tag }, connectionId) =>
      connectionId !== undefined && (_tag === "PlaceOrder" || _tag === "ModifyOrder") && endings.hasEnded(connectionId),
    endOrphans,
    isEndingOrphans: () => orphans.size > 0,
    isArmed: () => endings.isDisarming() || isAnyArmed(traders)
  })
})

function* armed(traders: Traders): Generator<readonly [connectionId: string, trader: Trader]> {
  for (const trader of traders.all()) {
    for (const connectionId of Ledger.armed(trader.ledger).keys()) yield [connectionId, trader]
  }
}

const isAnyArmed = (traders: Traders): boolean => {
  for (const _ of armed(traders)) return true
  return false
}

/** Interval between lease checks. */
const checkMillis = 500
/** Delay of a lease check above which this process is considered to have been frozen. */
const frozenMillis = 2_000
