/** The connected rails of a node with entities. All such nodes have the same rails. */
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { Effect, Layer, Schedule } from "effect"
import { RailClient } from "../../clients/RailClient.ts"
import { RailLayer } from "./Rail.ts"

/** Wakes each rail every 5 s, so that a rail that moved to another node starts there. */
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
