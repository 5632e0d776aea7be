/** Connections on their way out: whoever stops waits for these, so that all that they had armed begins to end. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { deskOf } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { UserId } from "@venue/domain/UserId"
import { Clock, Effect, Schedule } from "effect"
import type { Connection } from "./Connection.ts"

export interface Departures {
  readonly opened: () => void
  /** Its socket is closed for good. */
  readonly closed: () => void
  /** A desk is about to be told of the connection, so that it will have to be told of its end. */
  readonly attached: (connectionId: string, userId: UserId) => void
  /** Tells its desk that a connection has ended, if that knows of it. */
  readonly detach: (connection: Connection) => void
  /** Tells every desk that all connections of this gateway end now. */
  readonly leave: (connections: Iterable<Connection>) => Effect.Effect<void>
  /** Every socket is closed for good, and every desk was told. */
  readonly areOver: () => boolean
}

export const make = Effect.fnUntraced(function* (gatewayId: string) {
  const desks = yield* DeskClient
  const clock = yield* Clock.Clock
  const { desks: deskCount } = yield* VenueSettings
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const usersOf = new Map<string, UserId>()
  /** It counts sockets that are not closed for good, and desks that have not been told of an end. */
  let remaining = 0

  /** As it is said: an age is of that moment. */
  const speaker = () => ({ gatewayId, saidAtMillis: clock.currentTimeMillisUnsafe() })
  const heard = ({ connectionId, heardAtMillis }: Connection, userId: UserId) => ({
    connectionId,
    userId,
    ageMillis: clock.currentTimeMillisUnsafe() - heardAtMillis
  })
  const detached = (connection: Connection, userId: UserId) =>
    Effect.suspend(() => {
      const payload = { ...speaker(), ...heard(connection, userId) }
      return desks.ask(userId, (desk) => desk.Detach(payload))
    }).pipe(Effect.retry(again), Effect.ignore)

  const leaveDesk = (deskId: string, mine: ReadonlyArray<Connection>) =>
    Effect.suspend(() => {
      const connections = mine
        .filter(({ isLeased }) => isLeased)
        .map((connection) => heard(connection, usersOf.get(connection.connectionId)!))
      const payload = { ...speaker(), connections }
      return desks.askDesk(deskId, (desk) => desk.Leave(payload))
    }).pipe(
      Effect.retry(again),
      Effect.map(() => {
        for (const { connectionId } of mine) usersOf.delete(connectionId)
      }),
      // What it was not told together it is told one by one.
      Effect.ignore
    )

  return {
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
      const told = Effect.sync(() => {
        remaining -= 1
      })
      // Not before its last orders: the cancel that this starts must find them.
      desks.whenReplied(userId, () => void run(Effect.ensuring(detached(connection, userId), told)))
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
  } satisfies Departures as Departures
})

const again = { times: 2, schedule: Schedule.spaced("200 millis") }
const leftWithin = "3 seconds"
