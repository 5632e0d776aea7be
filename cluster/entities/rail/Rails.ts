/** The rails that a venue is connected to, on a node with entities: all such nodes have them, or none. */
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { Effect, Layer, Schedule } from "effect"
import { RailClient } from "../../clients/RailClient.ts"
import { RailLayer } from "./Rail.ts"

/** Wakes each now and then, so that one which has moved goes on. */
const starter = Layer.effectDiscard(
  Effect.gen(function* () {
    const { wake } = yield* RailClient
    const rails = [...(yield* RailProviders).keys()]
    const wakeAll = Effect.forEach(rails, (rail) => Effect.ignore(wake(rail)), {
      discard: true,
      concurrency: "unbounded"
    })
    yield* Effect.forkScoped(Effect.repeat(wakeAll, Schedule.spaced("5 seconds")))
  })
)

export const layer = Layer.merge(RailLayer, starter)
