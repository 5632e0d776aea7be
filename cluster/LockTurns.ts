/**
 * Releases shard locks one at a time. One database connection holds all locks, and each statement on it has its own
 * deadline. Releasing thirty locks at once on a busy machine could make the last statements and the next lock refresh
 * time out. The library would then drop the connection and lose every lock.
 */
import { Effect, Layer, Semaphore } from "effect"
import { RunnerStorage } from "effect/cluster"

export const layer = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.gen(function* () {
    const storage = yield* RunnerStorage.RunnerStorage
    const turns = yield* Semaphore.make(1)
    return RunnerStorage.RunnerStorage.of({
      ...storage,
      release: (address, shardId) => turns.withPermits(1)(storage.release(address, shardId))
    })
  })
)
