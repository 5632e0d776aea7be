/**
 * Releases shard locks one at a time. One database connection holds all locks, and each statement on it has its own deadline. With
 * thirty releases at once, the last of them and the lock refresh behind it may time out on a busy machine; the library then drops
 * the connection, and with it every lock.
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
