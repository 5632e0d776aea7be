/**
 * Once a second, while anything is due to a connection: what is overdue is given up, and desks that hold an armed
 * connection or one that hears pulses are told that it lives, and answer the pulses.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import * as Beat from "@venue/cluster/protocol/Beat"
import { deskOf, noCost } from "@venue/cluster/protocol/Desk"
import { Ids } from "@venue/cluster/clients/Ids"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Effect } from "effect"
import type { Connection } from "./Connection.ts"
import { type ExpectedQuery, unordered } from "./ExpectedReply.ts"
import type { Member } from "./Member.ts"
import { hearsPulses } from "./Subscriptions.ts"

export interface Pulse {
  readonly gatewayId: string
  /** Something is due to a connection now. */
  readonly due: () => void
  /** There is a new connection. */
  readonly arrived: () => void
  /** Asks for the first values of what a connection has just subscribed to with this frame. */
  readonly first: (connection: Connection, member: Member, request: string) => ExpectedQuery
}

export const make = Effect.fnUntraced(function* (connections: ReadonlySet<Connection>) {
  const { desks: deskCount } = yield* VenueSettings
  const gatewayId = (yield* Ids).next().text
  const scope = yield* Effect.scope
  const renew = yield* makeRenew(gatewayId)
  /** Desks that have not answered yet: they are waited for alone, so that one that stalls costs the others no lease. */
  const asked = new Set<string>()

  const renewAll = (isNamed: (connection: Connection) => boolean) =>
    Effect.suspend(() => {
      const byDesk = new Map<string, Array<Connection>>()
      for (const connection of connections) {
        const member = connection.member
        if (member === undefined || !isNamed(connection)) continue
        const deskId = deskOf(member.caller.userId, deskCount)
        const mine = byDesk.get(deskId)
        if (mine === undefined) byDesk.set(deskId, [connection])
        else mine.push(connection)
      }
      return Effect.forEach(
        byDesk,
        ([deskId, mine]) => {
          if (asked.has(deskId)) return Effect.void
          asked.add(deskId)
          return renew(deskId, mine).pipe(
            Effect.ensuring(Effect.sync(() => asked.delete(deskId))),
            Effect.forkIn(scope)
          )
        },
        { discard: true }
      )
    })

  const isRenewed = (connection: Connection) => connection.isLeased || hearsPulses(connection.subscriptions)
  const seconds = yield* Beat.make(
    1_000,
    Effect.suspend(() => {
      for (const connection of connections) connection.tick()
      return Effect.map(renewAll(isRenewed), () =>
        some(connections, (connection) => connection.isWaiting() || isRenewed(connection))
      )
    })
  )
  // A desk that has moved wakes the traders of those who are connected.
  const minutes = yield* Beat.make(
    60_000,
    Effect.map(
      renewAll(() => true),
      () => connections.size > 0
    )
  )
  return {
    gatewayId,
    due: seconds.start,
    arrived: () => {
      seconds.start()
      minutes.start()
    },
    first: yield* makeFirst(seconds.start)
  } satisfies Pulse as Pulse
})

/** Tells a desk that these connections live, and them what it answers. */
const makeRenew = Effect.fnUntraced(function* (gatewayId: string) {
  const desks = yield* DeskClient
  return (deskId: string, mine: ReadonlyArray<Connection>) => {
    const named = mine.map((connection) => {
      const { accountId, caller } = connection.member!
      return {
        connectionId: connection.connectionId,
        userId: caller.userId,
        accountId,
        wanted: hearsPulses(connection.subscriptions)
      }
    })
    return desks
      .askDesk(deskId, (desk) => desk.Renew({ gatewayId, connections: named }))
      .pipe(
        Effect.map((summaries) => {
          const summaryOf = new Map(summaries.map((summary) => [summary.balance.accountId, summary]))
          for (let i = 0; i < mine.length; i++) {
            const summary = summaryOf.get(named[i]!.accountId)
            if (named[i]!.wanted && summary !== undefined) mine[i]!.tellSummary(summary)
          }
        }),
        Effect.ignore
      )
  }
})

const makeFirst = Effect.fnUntraced(function* (due: () => void) {
  const desks = yield* DeskClient
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const first: Pulse["first"] = (connection, { accountId, caller: { userId } }, request) => ({
    ...unordered,
    request,
    ask: (answer) => {
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
