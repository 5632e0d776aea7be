/** This process among the others: it joins before it serves, says each second how it is, and leaves when all it had is handed over. */
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
    /** From now on this is what is told of the node. */
    readonly tell: (state: () => NodeState) => Effect.Effect<void>
    /** The database answered within the last seconds. */
    readonly isHeard: () => boolean
    /** Waits until an operator wants the node to drain or to restart. */
    readonly ended: Effect.Effect<void>
  }
>()("@venue/apps/process/Membership") {
  static readonly layer = (node: Joining) =>
    Layer.effect(
      Membership,
      Effect.gen(function* () {
        const nodes = yield* Nodes
        const clock = yield* Clock.Clock
        const ended = yield* Deferred.make<void>()
        let state = (): NodeState => ({ isReady: false, shards: 0 })
        let heardAtMillis = -Infinity

        const renew = Effect.gen(function* () {
          const wanted = yield* GivenUp.after("2 seconds")(nodes.renew(node.nodeId, state()))
          heardAtMillis = clock.currentTimeMillisUnsafe()
          if (wanted !== "serving") yield* Deferred.succeed(ended, undefined)
        }).pipe(
          Effect.catchCause((cause) =>
            DatabaseOutage.report(cause, Effect.logWarning("the node table could not be renewed", cause))
          )
        )

        yield* Effect.acquireRelease(nodes.join(node), () =>
          Effect.ignore(GivenUp.after("2 seconds")(nodes.leave(node.nodeId)))
        )
        yield* Effect.forkScoped(Effect.repeat(renew, Schedule.spaced("1 second")))
        return Membership.of({
          tell: (next) =>
            Effect.suspend(() => {
              state = next
              return renew
            }),
          isHeard: () => clock.currentTimeMillisUnsafe() - heardAtMillis < freshMillis,
          ended: Deferred.await(ended)
        })
      })
    )
}

const freshMillis = 5_000
