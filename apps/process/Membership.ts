/**
 * A process's membership in the venue. The process joins before it serves, reports its state every second, and leaves
 * after it has handed over its work.
 */
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import * as GivenUp from "@venue/postgres/GivenUp"
import { Nodes, type Joining } from "@venue/storage/nodes/Nodes"
import { Clock, Context, Deferred, Effect, Layer, Schedule } from "effect"

export interface NodeState {
  readonly isReady: boolean
  readonly shards: number
}

export class Membership extends Context.Service<
  Membership,
  {
    /** Sets the function that returns the reported state, and reports at once. */
    readonly report: (state: () => NodeState) => Effect.Effect<void>
    /** Returns whether the database responded within the last 5 s. */
    readonly isConnected: () => boolean
    /** Waits until an operator drains or restarts the node. */
    readonly ended: Effect.Effect<void>
  }
>()("@venue/apps/process/Membership") {
  /** Reason for which a node without a response from the database is not ready. */
  static readonly silence = "The database has not responded in the last 5 s."

  static readonly layer = (node: Joining) =>
    Layer.effect(
      Membership,
      Effect.gen(function* () {
        const nodes = yield* Nodes
        const clock = yield* Clock.Clock
        const ended = yield* Deferred.make<void>()
        let state = (): NodeState => ({ isReady: false, shards: 0 })
        let answeredAtMillis = -Infinity

        const renew = Effect.gen(function* () {
          const wanted = yield* GivenUp.after("2 seconds")(nodes.renew(node.nodeId, state()))
          answeredAtMillis = clock.currentTimeMillisUnsafe()
          if (wanted !== "serving") yield* Deferred.succeed(ended, undefined)
        }).pipe(
          Effect.catchCause((cause) =>
            DatabaseOutage.report(
              cause,
              Effect.logWarning("this node's row in the node table could not be renewed", cause)
            )
          )
        )

        yield* Effect.acquireRelease(nodes.join(node), () =>
          Effect.ignore(GivenUp.after("2 seconds")(nodes.leave(node.nodeId)))
        )
        yield* Effect.forkScoped(Effect.repeat(renew, Schedule.spaced("1 second")))
        return Membership.of({
          report: (next) =>
            Effect.suspend(() => {
              state = next
              return renew
            }),
          isConnected: () => clock.currentTimeMillisUnsafe() - answeredAtMillis < freshMillis,
          ended: Deferred.await(ended)
        })
      })
    )
}

const freshMillis = 5_000
