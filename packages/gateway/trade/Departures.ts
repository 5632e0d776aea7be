/**
 * Connections that are closing. A stopping gateway waits until their sockets are closed and their desks are informed,
 * so that cancel-on-disconnect starts for armed connections.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { deskOf } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { UserId } from "@venue/domain/UserId"
import { Clock, Effect, Schedule, identity } from "effect"
import type { Connection } from "./Connection.ts"

export interface Departures {
  readonly opened: () => void
  /** Called when a socket is closed. */
  readonly closed: () => void
  /** Called before a connection is attached at its desk. The desk must later receive a `Detach`. */
  readonly attached: (connectionId: string, userId: UserId) => void
  /** Sends `Detach` to a closed connection's desk if the connection was attached. */
  readonly detach: (connection: Connection) => void
  /** Sends `Leave` to every desk, because all connections of this gateway end. */
  readonly leave: (connections: Iterable<Connection>) => Effect.Effect<void>
  /** True when every socket is closed and every desk is informed. */
  readonly areOver: () => boolean
}

export const make = Effect.fnUntraced(function* (gatewayId: string) {
  const desks = yield* DeskClient
  const clock = yield* Clock.Clock
  const { desks: deskCount } = yield* VenueSettings
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const usersOf = new Map<string, UserId>()
  /** Number of open sockets plus pending `Detach` calls. */
  let remaining = 0

  /** Returns the sender and the send time, to which the ages in the message refer. */
  const header = () => ({ gatewayId, saidAtMillis: clock.currentTimeMillisUnsafe() })
  const ageOf = ({ activeAtMillis, connectionId }: Connection, userId: UserId) => ({
    connectionId,
    userId,
    ageMillis: clock.currentTimeMillisUnsafe() - activeAtMillis
  })
  const detached = (connection: Connection, userId: UserId) =>
    Effect.suspend(() => {
      const payload = { ...header(), ...ageOf(connection, userId) }
      return desks.ask(userId, (desk) => desk.Detach(payload))
    }).pipe(Effect.retry(again), Effect.ignore)

  const leaveDesk = (deskId: string, mine: ReadonlyArray<Connection>) =>
    Effect.suspend(() => {
      const connections = mine
        .filter(({ isLeased }) => isLeased)
        .map((connection) => ageOf(connection, usersOf.get(connection.connectionId)!))
      const payload = { ...header(), connections }
      return desks.askDesk(deskId, (desk) => desk.Leave(payload))
    }).pipe(
      Effect.retry(again),
      Effect.map(() => {
        for (const { connectionId } of mine) usersOf.delete(connectionId)
      }),
      // Connections that `Leave` did not report are detached one by one as they close.
      Effect.ignore
    )

  return identity<Departures>({
    opened: () => {
      remaining += 1
    },
    closed: () => {
      remaining -= 1
    },
    attached: (connectionId, userId) => void usersOf.set(connectionId, userId),
    detach: (connection) => {
      const userId = usersOf.get(connection.connectionId)
      if (userId === undefined) return
      usersOf.delete(connection.connectionId)
      remaining += 1
      const done = Effect.sync(() => {
        remaining -= 1
      })
      // Waits for the connection's last orders, because the cancel that `Detach` starts must include them.
      desks.whenReplied(userId, () => void run(Effect.ensuring(detached(connection, userId), done)))
    },
    leave: (connections) => {
      const known = [...connections].filter(({ connectionId }) => usersOf.has(connectionId))
      const byDesk = Map.groupBy(known, ({ connectionId }) => deskOf(usersOf.get(connectionId)!, deskCount))
      return Effect.forEach(byDesk, ([deskId, mine]) => leaveDesk(deskId, mine), {
        discard: true,
        concurrency: "unbounded"
      }).pipe(Effect.timeoutOption(leftWithin), Effect.asVoid)
    },
    areOver: () => remaining === 0
  })
})

const again = { times: 2, schedule: Schedule.spaced("200 millis") }
const leftWithin = "3 seconds"
