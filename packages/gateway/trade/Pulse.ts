/**
 * Periodic work for connections. Every second, while any connection has a reply or periodic value due, gives up
 * overdue replies and reads positions and balances from the desks. Every 500 ms, while any connection is armed for
 * cancel-on-disconnect, renews its lease at the desk. A restarted desk receives all of its connections at once.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import * as Beat from "@venue/cluster/feed/Beat"
import { deskOf, noCost } from "@venue/cluster/protocol/Desk"
import { Ids } from "@venue/cluster/clients/Ids"
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { FeedHeads } from "@venue/cluster/clients/FeedHeads"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Clock, Effect, identity } from "effect"
import type { Connection } from "./Connection.ts"
import { type ExpectedQuery, unordered } from "./ExpectedReply.ts"
import type { Member } from "./Member.ts"

export interface Pulse {
  readonly gatewayId: string
  /** Starts the one-second work, because a reply or a periodic value is due on a connection. */
  readonly due: () => void
  /** Starts the lease renewals, because a connection is about to be armed for cancel-on-disconnect. */
  readonly leased: () => void
  /** Called for a new connection, before its sign-in. */
  readonly arrived: () => void
  /** Called when a connection is signed in. */
  readonly opened: () => void
  /** Returns the query for the first values of the channels that this frame subscribes to. */
  readonly first: (connection: Connection, member: Member, request: string) => ExpectedQuery
}

export const make = Effect.fnUntraced(function* (connections: ReadonlySet<Connection>) {
  const { desks: deskCount } = yield* VenueSettings
  const gatewayId = yield* makeGatewayId
  const { desks: desksHere } = yield* LocalEntities
  const byDesk = (isWanted: (connection: Connection) => boolean): Map<string, Array<Connection>> => {
    const wanted = [...connections].filter((connection) => connection.member !== undefined && isWanted(connection))
    return Map.groupBy(wanted, ({ member }) => deskOf(member!.caller.userId, deskCount))
  }
  const renew = yield* makeRenew(gatewayId, (deskId) => byDesk(isAny).get(deskId) ?? none)
  /** Desks in other processes, which need renewals to detect that this gateway is alive. */
  const remoteDesks = () => [...byDesk(isAny).keys()].filter((deskId) => !desksHere.has(deskId))

  const pulses = yield* makeCalls(
    () => byDesk(isPulsed),
    (deskId, mine) => renew(deskId, mine, "pulse")
  )
  const seconds = yield* Beat.make(
    1_000,
    Effect.suspend(() => {
      for (const connection of connections) connection.tick()
      return Effect.map(pulses, () => some(connections, (connection) => connection.isWaiting() || isPulsed(connection)))
    })
  )
  const leases = yield* makeCalls(
    () => byDesk(isLeased),
    (deskId, mine) => Effect.timeoutOption(renew(deskId, mine, "armed"), renewedWithin)
  )
  const halves = yield* Beat.make(
    500,
    Effect.suspend(() => {
      for (const connection of connections) if (connection.isLeased) connection.probe()
      return Effect.map(leases, () => some(connections, isLeased))
    })
  )
  const presence = yield* makeCalls(
    () => new Map(remoteDesks().map((deskId) => [deskId, none])),
    (deskId) => renew(deskId, none, "presence")
  )
  const pairs = yield* Beat.make(
    2_000,
    Effect.map(presence, () => remoteDesks().length > 0)
  )
  // Sends all connections, because a moved desk must load the connected users' traders and count the connections.
  const all = yield* makeCalls(
    () => byDesk(isAny),
    (deskId, mine) => renew(deskId, mine, "all")
  )
  const minutes = yield* Beat.make(
    60_000,
    Effect.map(all, () => connections.size > 0)
  )
  return identity<Pulse>({
    gatewayId,
    due: seconds.start,
    leased: halves.start,
    arrived: () => {
      seconds.start()
      minutes.start()
    },
    opened: pairs.start,
    first: yield* makeFirst(seconds.start)
  })
})

const isPulsed = ({ subscriptions }: Connection): boolean => subscriptions.sendsPulses
const isLeased = (connection: Connection): boolean => connection.isLeased
const isAny = () => true
const none: ReadonlyArray<Connection> = []

/** Registers this gateway with the desks in its process, which then treat it as alive for as long as they run. */
const makeGatewayId = Effect.gen(function* () {
  const { gateways } = yield* LocalEntities
  const gatewayId = (yield* Ids).next().text
  gateways.add(gatewayId)
  yield* Effect.addFinalizer(() => Effect.sync(() => gateways.delete(gatewayId)))
  return gatewayId
})

/**
 * Calls each desk of `connectionsByDesk`. Skips a desk whose previous call is in flight, so that a slow desk does not
 * delay the others.
 */
const makeCalls = Effect.fnUntraced(function* (
  connectionsByDesk: () => ReadonlyMap<string, ReadonlyArray<Connection>>,
  call: (deskId: string, mine: ReadonlyArray<Connection>) => Effect.Effect<unknown>
) {
  const scope = yield* Effect.scope
  const inFlight = new Set<string>()
  return Effect.suspend(() =>
    Effect.forEach(
      connectionsByDesk(),
      ([deskId, mine]) => {
        if (inFlight.has(deskId)) return Effect.void
        inFlight.add(deskId)
        const done = Effect.sync(() => inFlight.delete(deskId))
        return Effect.forkIn(Effect.ensuring(call(deskId, mine), done), scope)
      },
      { discard: true }
    )
  )
})

/** Renews connections at their desk, and passes on the summaries and lost connections that the desk returns. */
const makeRenew = Effect.fnUntraced(function* (
  gatewayId: string,
  allAt: (deskId: string) => ReadonlyArray<Connection>
) {
  const desks = yield* DeskClient
  const { desks: desksHere } = yield* LocalEntities
  const feedHeads = yield* FeedHeads
  const clock = yield* Clock.Clock
  const renew = (deskId: string, mine: ReadonlyArray<Connection>, purpose: Purpose): Effect.Effect<void> => {
    const isPulse = purpose === "pulse"
    return Effect.suspend(() => {
      const saidAtMillis = clock.currentTimeMillisUnsafe()
      const renewed = mine.map((connection) => {
        const { accountId, caller } = connection.member!
        const { connectionId, activeAtMillis, isArmed } = connection
        const ageMillis = saidAtMillis - activeAtMillis
        return { connectionId, userId: caller.userId, accountId, ageMillis, wanted: isPulse, isArmed }
      })
      // A desk in this process shares the connections' feed, so the call omits `heads`.
      const heads = isPulse && !desksHere.has(deskId) ? { heads: feedHeads.all() } : {}
      const payload = {
        gatewayId,
        saidAtMillis,
        connections: renewed,
        ...heads,
        ...(purpose === "all" ? { areAll: true } : {})
      }
      return desks.askDesk(deskId, (desk) => desk.Renew(payload))
    }).pipe(
      Effect.flatMap(({ ended, summaries, wantsAll }) => {
        if (ended.length > 0) for (const connection of mine) connection.closeIfLost(ended)
        const summaryOf = new Map(summaries.map((summary) => [summary.balance.accountId, summary]))
        for (const connection of isPulse ? mine : none) {
          const summary = summaryOf.get(connection.member!.accountId)
          if (summary !== undefined) connection.sendSummary(summary)
        }
        return wantsAll === true && purpose !== "all" ? renew(deskId, allAt(deskId), "all") : Effect.void
      }),
      Effect.ignore
    )
  }
  return renew
})

/** Purpose of a renewal: read summaries, renew leases, show that the gateway is alive, or register all connections. */
type Purpose = "pulse" | "armed" | "presence" | "all"

/** Time limit of a renewal; a lease lasts several times longer. */
const renewedWithin = "500 millis"

const makeFirst = Effect.fnUntraced(function* (due: () => void) {
  const desks = yield* DeskClient
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const first: Pulse["first"] = (connection, { accountId, caller: { userId } }, request) => ({
    ...unordered,
    request,
    run: (answer) => {
      due()
      run(
        desks.summary({ userId, accountId, cost: noCost }).pipe(
          Effect.map((summary) => connection.sendSummary(summary)),
          Effect.ignore,
          // Answers with an empty frame, because the summary sends the values. If the read fails, the regular update
          // sends them within a second.
          Effect.ensuring(Effect.sync(() => answer("")))
        )
      )
    }
  })
  return first
})

const some = <A>(all: Iterable<A>, matches: (element: A) => boolean): boolean => {
  for (const element of all) if (matches(element)) return true
  return false
}
