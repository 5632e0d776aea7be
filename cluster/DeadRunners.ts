/** A runner whose process is dead is struck off at once: its shards go to the others before its lock would have expired. */
import { Nodes } from "@venue/storage/nodes/Nodes"
import { Effect, Layer, Schedule } from "effect"
import { RunnerAddress, RunnerStorage } from "effect/cluster"

/** One that lives all the same enters itself again. */
export const layer: Layer.Layer<never, never, Nodes | RunnerStorage.RunnerStorage> = Layer.effectDiscard(
  Effect.gen(function* () {
    const nodes = yield* Nodes
    const runners = yield* RunnerStorage.RunnerStorage
    let known: ReadonlySet<string> = new Set()
    const look = Effect.gen(function* () {
      const dead = yield* nodes.dead
      const strike = dead.filter(({ nodeId }) => !known.has(nodeId))
      yield* Effect.forEach(strike, ({ address }) => runners.unregister(addressOf(address)), { discard: true })
      known = new Set(dead.map(({ nodeId }) => nodeId))
    })
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(Effect.timeout(look, "1 second")), Schedule.spaced(lookEvery)))
  })
)

const lookEvery = "250 millis"

/** As `VENUE_CLUSTER_ADDRESS` has it. */
const addressOf = (address: string): RunnerAddress.RunnerAddress => {
  const colon = address.lastIndexOf(":")
  return RunnerAddress.make(address.slice(0, colon), Number(address.slice(colon + 1)))
}
