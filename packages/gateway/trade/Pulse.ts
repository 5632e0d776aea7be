/**
 * What connections need as time passes. Each second, while anything is due to one, what is overdue is given up and desks
 * answer the pulses. Twice a second, while any is armed, its desk is told that it lives. A desk that has begun anew is
 * told of all at once.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import * as Beat from "@venue/cluster/feed/Beat"
import { deskOf, noCost } from "@venue/cluster/protocol/Desk"
import { Ids } from "@venue/cluster/clients/Ids"
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { FeedHeads } from "@venue/cluster/clients/FeedHeads"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Clock, Effect } from "effect"
import type { Connection } from "./Connection.ts"
import { type ExpectedQuery, unordered } from "./ExpectedReply.ts"
import type { Member } from "./Member.ts"

export interface Pulse {
  readonly gatewayId: string
  /** Something is due to a connection now. */
  readonly due: () => void
  /** A connection is about to be armed. */
  readonly leased: () => void
  /** There is a new connection, which is not signed in. */
  readonly arrived: () => void
  /** A connection is signed in. */
  readonly opened: () => void
  /** Asks for the first values of what a connection has just subscribed to with this frame. */
  readonly first: (connection: Connection, member: Member, request: string) => ExpectedQuery
}

export const make = Effect.fnUntraced(function* (connections: ReadonlySet<Connection>) {
  const { desks: deskCount } = yield* VenueSettings
  const gatewayId = yield* makeGatewayId
  const { desks: desksHere } = yield* LocalEntities
  const byDesk = (isNamed: (connection: Connection) => boolean): Map<string, Array<Connection>> => {
    const named = [...connections].filter((connection) => connection.member !== undefined && isNamed(connection))
    return Map.groupBy(named, ({ member }) => deskOf(member!.caller.userId, deskCount))
  }
  const renew = yield* makeRenew(gatewayId, (deskId) => byDesk(isAny).get(deskId) ?? none)
  /** Desks in other processes would not notice that this one died. */
  const elsewhere = () => [...byDesk(isAny).keys()].filter((deskId) => !desksHere.has(deskId))

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
    () => new Map(elsewhere().map((deskId) => [deskId, none])),
    (deskId) => renew(deskId, none, "presence")
  )
  const pairs = yield* Beat.make(
    2_000,
    Effect.map(presence, () => elsewhere().length > 0)
  )
  // A desk that has moved wakes the traders of those who are connected, and counts them.
  const all = yield* makeCalls(
    () => byDesk(isAny),
    (deskId, mine) => renew(deskId, mine, "all")
  )
  const minutes = yield* Beat.make(
    60_000,
    Effect.map(all, () => connections.size > 0)
  )
  return {
    gatewayId,
    due: seconds.start,
    leased: halves.start,
    arrived: () => {
      seconds.start()
      minutes.start()
    },
    opened: pairs.start,
    first: yield* makeFirst(seconds.start)
  } satisfies Pulse as Pulse
})

const isPulsed = ({ subscriptions }: Connection): boolean => subscriptions.sendsPulses
const isLeased = (connection: Connection): boolean => connection.isLeased
const isAny = () => true
const none: ReadonlyArray<Connection> = []

/** Desks of this process know that the gateway lives as long as they do. */
const makeGatewayId = Effect.gen(function* () {
  const { gateways } = yield* LocalEntities
  const gatewayId = (yield* Ids).next().text
  gateways.add(gatewayId)
  yield* Effect.addFinalizer(() => Effect.sync(() => gateways.delete(gatewayId)))
  return gatewayId
})

/**
 * Says something to each of these desks. One that has not answered yet is left out, so that a desk that stalls costs the
 * others nothing.
 */
const makeCalls = Effect.fnUntraced(function* (
  named: () => ReadonlyMap<string, ReadonlyArray<Connection>>,
  say: (deskId: string, mine: ReadonlyArray<Connection>) => Effect.Effect<unknown>
) {
  const scope = yield* Effect.scope
  const asked = new Set<string>()
  return Effect.suspend(() =>
    Effect.forEach(
      named(),
      ([deskId, mine]) => {
        if (asked.has(deskId)) return Effect.void
        asked.add(deskId)
        const answered = Effect.sync(() => asked.delete(deskId))
        return Effect.forkIn(Effect.ensuring(say(deskId, mine), answered), scope)
      },
      { discard: true }
    )
  )
})

/** Tells a desk that these connections live, and them what it answers. */
const makeRenew = Effect.fnUntraced(function* (
  gatewayId: string,
  /** All that there are at this desk. */
  allAt: (deskId: string) => ReadonlyArray<Connection>
) {
  const desks = yield* DeskClient
  const { desks: desksHere } = yield* LocalEntities
  const told = yield* FeedHeads
  const clock = yield* Clock.Clock
  const renew = (deskId: string, mine: ReadonlyArray<Connection>, why: Why): Effect.Effect<void> => {
    const isPulse = why === "pulse"
    return Effect.suspend(() => {
      const saidAtMillis = clock.currentTimeMillisUnsafe()
      const named = mine.map((connection) => {
        const { accountId, caller } = connection.member!
        const { connectionId, heardAtMillis, isArmed } = connection
        const ageMillis = saidAtMillis - heardAtMillis
        return { connectionId, userId: caller.userId, accountId, ageMillis, wanted: isPulse, isArmed }
      })
      // A desk of this process has the feed that the connections hear.
      const heads = isPulse && !desksHere.has(deskId) ? { heads: told.all() } : {}
      const said = { gatewayId, saidAtMillis, connections: named, ...heads, ...(why === "all" ? { areAll: true } : {}) }
      return desks.askDesk(deskId, (desk) => desk.Renew(said))
    }).pipe(
      Effect.flatMap(({ ended, summaries, wantsAll }) => {
        if (ended.length > 0) for (const connection of mine) connection.lost(ended)
        const summaryOf = new Map(summaries.map((summary) => [summary.balance.accountId, summary]))
        for (const connection of isPulse ? mine : none) {
          const summary = summaryOf.get(connection.member!.accountId)
          if (summary !== undefined) connection.tellSummary(summary)
        }
        return wantsAll === true && why !== "all" ? renew(deskId, allAt(deskId), "all") : Effect.void
      }),
      Effect.ignore
    )
  }
  return renew
})

/** What it is told for: to be answered, as some are armed, as the gateway lives, or as it has all of these. */
type Why = "pulse" | "armed" | "presence" | "all"

/** A lease has room for several such calls. */
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
          Effect.map((summary) => connection.tellSummary(summary)),
          Effect.ignore,
          // The values have been sent one by one, or the next pulse has them.
          Effect.ensuring(Effect.sync(() => answer("")))
        )
      )
    }
  })
  return first
})

const some = <A>(all: Iterable<A>, is: (one: A) => boolean): boolean => {
  for (const one of all) if (is(one)) return true
  return false
}
