/** Connections on their way out: whoever stops waits for these, so that all that they had armed begins to end. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import type { UserId } from "@venue/domain/UserId"
import { Effect } from "effect"

export interface Departures {
  readonly opened: () => void
  /** Its socket is closed for good. */
  readonly closed: () => void
  /** Tells the desk that a connection of its user has ended. */
  readonly detach: (connectionId: string, userId: UserId) => void
  /** Every socket is closed for good, and every desk was told. */
  readonly areOver: () => boolean
}

export const make = Effect.gen(function* () {
  const desks = yield* DeskClient
  const run = Effect.runForkWith(yield* Effect.context<never>())
  /** It counts sockets that are not closed for good, and desks that have not been told of an end. */
  let remaining = 0
  return {
    opened: () => {
      remaining += 1
    },
    closed: () => {
      remaining -= 1
    },
    detach: (connectionId, userId) => {
      remaining += 1
      const told = Effect.sync(() => {
        remaining -= 1
      })
      const detached = desks.ask(userId, (desk) => desk.Detach({ connectionId, userId }))
      // Not before its last orders: the cancel that this starts must find them.
      desks.whenReplied(userId, () => void run(Effect.ensuring(Effect.ignore(detached), told)))
    },
    areOver: () => remaining === 0
  } satisfies Departures as Departures
})
