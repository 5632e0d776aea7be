import { expect, it } from "@effect/vitest"
import * as LockTurns from "@venue/cluster/LockTurns"
import { Effect, Layer } from "effect"
import { RunnerAddress, RunnerStorage, ShardId } from "effect/cluster"

const address = RunnerAddress.make("127.0.0.1", 4_101)
const shards = Array.from({ length: 30 }, (_, index) => ShardId.make("market", index + 1))

it.effect("releases one lock at a time, so that a lock refresh waits for at most one release", () => {
  let atOnce = 0
  let most = 0
  const released: Array<number> = []
  const oneConnection = Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.map(RunnerStorage.makeMemory, (storage) =>
      RunnerStorage.RunnerStorage.of({
        ...storage,
        release: (_, { id }) =>
          Effect.gen(function* () {
            most = Math.max(most, ++atOnce)
            yield* Effect.yieldNow
            atOnce--
            released.push(id)
          })
      })
    )
  )
  return Effect.gen(function* () {
    const storage = yield* RunnerStorage.RunnerStorage
    yield* Effect.forEach(shards, (shard) => storage.release(address, shard), { concurrency: "unbounded" })
    expect(most).toBe(1)
    expect(released).toEqual(shards.map(({ id }) => id))
  }).pipe(Effect.provide(LockTurns.layer.pipe(Layer.provide(oneConnection))))
})
