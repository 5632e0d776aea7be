/** Cancel-on-disconnect: which connections are armed, which gateways still live, and what happens when one ends. */
import { Journal } from "@venue/storage/Journal"
import * as Ledger from "@venue/ledger/Ledger"
import { Clock, Effect, Schedule } from "effect"
import { deskOf } from "../protocol/Desk.ts"
import { Venue } from "../protocol/Venue.ts"
import type { Seat } from "./Seat.ts"
import type { Seats } from "./Seats.ts"

export interface Connection {
  readonly connectionId: string
  readonly userId: string
  readonly accountId: string
}

export interface Disconnects {
  readonly attach: (gatewayId: string, connection: Connection) => void
  readonly renew: (gatewayId: string, connections: ReadonlyArray<Connection>) => void
  readonly detach: (connectionId: string, seat: Seat) => void
  /** Takes in the traders of this desk that left an armed connection behind. */
  readonly wakeArmed: (deskId: string) => Effect.Effect<void>
}

export const make = Effect.fnUntraced(function*(seats: Seats, cancelAll: (seat: Seat, accountId: string) => void) {
  const journal = yield* Journal
  const clock = yield* Clock.Clock
  const { desks, leaseMillis } = yield* Venue
  const gatewayOf = new Map<string, string>()
  const renewedAtMillis = new Map<string, number>()
  let sweptAtMillis = clock.currentTimeMillisUnsafe()
  /** When a connection nobody has named since this desk came up was first missed. */
  const missedAtMillis = new Map<string, number>()

  const name = (gatewayId: string, { connectionId }: Connection) => {
    gatewayOf.set(connectionId, gatewayId)
    missedAtMillis.delete(connectionId)
  }
  const end = (connectionId: string, seat: Seat) => {
    gatewayOf.delete(connectionId)
    missedAtMillis.delete(connectionId)
    const accountId = Ledger.armed(seat.trader).get(connectionId)
    if (accountId === undefined) return
    seat.whenOpen(() => {
      cancelAll(seat, accountId)
      seat.change({ _tag: "Arm", connectionId, accountId, armed: false }, () => {})
    })
  }
  const lastSeen = (connectionId: string, now: number): number => {
    const gatewayId = gatewayOf.get(connectionId)
    if (gatewayId !== undefined) return renewedAtMillis.get(gatewayId) ?? now
    const missed = missedAtMillis.get(connectionId)
    if (missed === undefined) missedAtMillis.set(connectionId, now)
    return missed ?? now
  }
  const sweep = Effect.sync(() => {
    const now = clock.currentTimeMillisUnsafe()
    const jumped = now - sweptAtMillis > frozenMillis
    sweptAtMillis = now
    // This process itself was frozen: what it has not heard proves nothing about the gateways.
    if (jumped) {
      for (const gatewayId of renewedAtMillis.keys()) renewedAtMillis.set(gatewayId, now)
      missedAtMillis.clear()
      return
    }
    for (const seat of seats.all()) {
      for (const connectionId of Ledger.armed(seat.trader).keys()) {
        if (now - lastSeen(connectionId, now) > leaseMillis) end(connectionId, seat)
      }
    }
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("500 millis"), sweep)))

  return {
    attach: (gatewayId, connection) => {
      renewedAtMillis.set(gatewayId, clock.currentTimeMillisUnsafe())
      name(gatewayId, connection)
    },
    renew: (gatewayId, connections) => {
      renewedAtMillis.set(gatewayId, clock.currentTimeMillisUnsafe())
      for (const connection of connections) name(gatewayId, connection)
    },
    detach: end,
    wakeArmed: (deskId) =>
      Effect.gen(function*() {
        const entries = yield* journal.wakeUps()
        const userIds = new Set(entries.map(({ userId }) => userId).filter((userId) => deskOf(userId, desks) === deskId))
        yield* Effect.forEach(userIds, (userId) => seats.wake(userId), { discard: true, concurrency: "unbounded" })
      }).pipe(Effect.retry(Schedule.spaced("500 millis")), Effect.orDie)
  } satisfies Disconnects as Disconnects
})

/** A sweep that comes this late says that the process stood still. */
const frozenMillis = 2_000
