/** Cancel-on-disconnect: which connections are armed, which gateways still live, and what happens when one ends. */
import type { OrderRequest } from "@venue/domain/Order"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { Clock, Effect } from "effect"
import { SingleProcess } from "../../../SingleProcess.ts"
import * as Beat from "../../../feed/Beat.ts"
import { Ids } from "../../../clients/Ids.ts"
import { LocalEntities } from "../../../clients/LocalEntities.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import * as Endings from "./Endings.ts"
import * as Gateways from "./Gateways.ts"
import * as Leases from "../markets/Leases.ts"
import * as OrderTimes from "../orders/OrderTimes.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"

export interface Disconnects {
  /** A gateway names a connection of its own; false when it is one too many of its user. */
  readonly attach: (speaker: Gateways.Speaker, connection: Leases.Heard) => boolean
  /** A trader is here, or its journal has a new row: leases are kept for as long as some connection is armed. */
  readonly look: (trader: Trader) => void
  /** A connection is about to be armed, so its gateway lives, which may have renewed nothing before. */
  readonly arming: (connectionId: string, userId: UserId) => void
  /**
   * A gateway lives, and so do these of its connections; it names all that may be armed. False until it has named all
   * that it has, since this desk began: those of its users are counted.
   */
  readonly renew: (speaker: Gateways.Speaker, connections: ReadonlyArray<Leases.Heard>, areAll?: boolean) => boolean
  readonly detach: (speaker: Gateways.Speaker, connection: Leases.Heard, trader: Trader) => void
  /** A gateway goes, and with it all its connections. */
  readonly leave: (gatewayId: string) => void
  /** A request is on its way, over this connection if that is armed, or about to be. */
  readonly entered: OrderTimes.OrderTimes["entered"]
  /** What is not to be cancelled after a loss. */
  readonly after: OrderTimes.OrderTimes["after"]
  /** Whether the request would place something behind the cancel of its connection, which is taken for lost. */
  readonly isTooLate: (request: OrderRequest, connectionId: string | undefined) => boolean
  /** The armed traders of this desk are awake: what dead gateways armed begins to end. */
  readonly endOrphans: (deskId: string) => void
  /** Whether connections that dead gateways armed have not ended yet. */
  readonly isEndingOrphans: () => boolean
  /** Whether a connection is armed, or that it is so no longer is not recorded yet. */
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
  /** Armed in an earlier process, by a gateway that is gone. */
  const orphans = new Set<string>()
  let lookedAtMillis = now()
  let isLooking = false

  const end = (connectionId: string, trader: Trader) => {
    if (!endings.end(connectionId, trader, leases.heardAtMillis(connectionId))) return
    orphans.delete(connectionId)
    leases.forget(connectionId)
  }
  const lookAtAll = () => {
    const jumpedMillis = Math.abs(now() - lookedAtMillis)
    lookedAtMillis = now()
    // This process itself was frozen, or its clock was set: what it has not heard proves nothing about the gateways.
    if (jumpedMillis > frozenMillis) return leases.restart()
    for (const [connectionId, trader] of armed(traders)) {
      if (endings.hasBegun(connectionId) || leases.isOver(connectionId, trader.userId)) end(connectionId, trader)
    }
  }
  const looks = yield* Beat.make(
    lookMillis,
    Effect.sync(() => {
      lookAtAll()
      isLooking = isAnyArmed(traders)
      return isLooking
    })
  )
  const look = (trader: Trader) => {
    times.tidy(trader)
    if (isLooking || Ledger.armed(trader.ledger).size === 0) return
    isLooking = true
    lookedAtMillis = now()
    looks.start()
  }
  for (const trader of traders.all()) look(trader)

  const endOrphans = (deskId: string) => {
    if (started === undefined || started.has(deskId)) return
    started.add(deskId)
    for (const [connectionId, trader] of armed(traders)) {
      orphans.add(connectionId)
      end(connectionId, trader)
    }
  }

  return {
    look,
    arming: (connectionId, userId) => {
      endings.revive(connectionId)
      leases.arming(connectionId, userId)
    },
    attach: (speaker, connection) => {
      if (rateLimits && leases.isFull(connection.userId, connection.connectionId)) return false
      leases.renew(speaker, [connection])
      return true
    },
    renew: (speaker, connections, areAll = false) => {
      leases.renew(speaker, connections)
      if (areAll) gateways.namedAll(speaker.gatewayId)
      return gateways.hasNamedAll(speaker.gatewayId)
    },
    detach: (speaker, connection, trader) => {
      leases.renew(speaker, [connection])
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
  } satisfies Disconnects as Disconnects
})

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
