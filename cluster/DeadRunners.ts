/** Unregisters dead runners at once, so that their shards move before the shard locks expire. */
import { Nodes } from "@venue/storage/nodes/Nodes"
import { Effect, Layer, Schedule } from "effect"
import { RunnerAddress, RunnerStorage } from "effect/cluster"

/** Unregisters the runners of dead nodes. A live runner that was unregistered by mistake registers itself again. */
export const layer: Layer.Layer<never, never, Nodes | RunnerStorage.RunnerStorage> = Layer.effectDiscard(
  Effect.gen(function* () {
    const nodes = yield* Nodes
    const runners = yield* RunnerStorage.RunnerStorage
    let unregistered: ReadonlySet<string> = new Set()
    const check = Effect.gen(function* () {
      const dead = yield* nodes.dead
      const fresh = dead.filter(({ nodeId }) => !unregistered.has(nodeId))
      yield* Effect.forEach(fresh, ({ address }) => runners.unregister(addressOf(address)), { discard: true })
      unregistered = new Set(dead.map(({ nodeId }) => nodeId))
    })
    yield* Effect.forkScoped(
      Effect.repeat(Effect.ignore(Effect.timeout(check, "1 second")), Schedule.spaced(checkInterval))
    )
  })
)

const checkInterval = "250 millis"

/** Parses an address in the format of `VENUE_CLUSTER_ADDRESS`, `host:port`. */
const addressOf = (address: string): RunnerAddress.RunnerAddress => {
  const colon = address.lastIndexOf(":")
  return RunnerAddress.make(address.slice(0, colon), Number(address.slice(colon + 1)))
}
