/**
 * Locks of shards are let go one after the other. All of them are held by one connection, and each statement on it has a
 * deadline of its own: thirty that are sent at once have the last of them, and the refresh behind it, run out of time on a
 * busy machine, upon which the connection is given up with every lock that it holds.
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
