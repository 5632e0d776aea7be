/** Once a second: each desk hears that this gateway lives and which connections it has, and answers the pulses. */
import { Desks } from "@venue/cluster/Link"
import { deskOf } from "@venue/cluster/protocol/Desk"
import { Ids } from "@venue/cluster/protocol/Ids"
import { Venue } from "@venue/cluster/protocol/Venue"
import { Effect } from "effect"
import type { Connection } from "./Connection.ts"

/** Returns the id of this gateway. */
export const make = Effect.fnUntraced(function* (connections: ReadonlySet<Connection>) {
  const desks = yield* Desks
  const { desks: deskCount } = yield* Venue
  const gatewayId = (yield* Ids).next().text
  const scope = yield* Effect.scope
  /** Desks that have not answered yet: they are waited for alone, so that one that stalls costs the others no lease. */
  const asked = new Set<string>()

  const beat = Effect.suspend(() => {
    const byDesk = new Map<string, Array<Connection>>()
    for (let id = 0; id < deskCount; id++) byDesk.set(String(id), [])
    for (const connection of connections) {
      connection.tick()
      const member = connection.member()
      if (member !== undefined) byDesk.get(deskOf(member.caller.userId, deskCount))!.push(connection)
    }
    return Effect.forEach(
      byDesk,
      ([deskId, mine]) => {
        if (asked.has(deskId)) return Effect.void
        asked.add(deskId)
        return renew(deskId, mine).pipe(Effect.ensuring(Effect.sync(() => asked.delete(deskId))), Effect.forkIn(scope))
      },
      { discard: true }
    )
  })

  const renew = (deskId: string, mine: ReadonlyArray<Connection>) => {
    const named = mine.map((connection) => {
      const { accountId, caller } = connection.member()!
      return {
        connectionId: connection.connectionId,
        userId: caller.userId,
        accountId,
        wanted: connection.subscribed("positions") || connection.subscribed("balances")
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

  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("1 second"), beat)))
  return gatewayId
})
