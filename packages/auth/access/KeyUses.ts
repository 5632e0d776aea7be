/** Batches the times of accepted and rejected requests per key, and writes them periodically. */
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import type { KeyUse } from "@venue/storage/access/ApiKeyTable"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { Effect, Latch, type Scope } from "effect"

export interface KeyUses {
  readonly used: (publicKey: string, atMillis: number) => void
  readonly failed: (publicKey: string, atMillis: number) => void
}

/** A failed write is dropped, because the key's next use has newer values. */
export const make: Effect.Effect<KeyUses, never, ApiKeys | Scope.Scope> = Effect.gen(function* () {
  const keys = yield* ApiKeys
  let gathered = new Map<string, KeyUse>()
  const more = Latch.makeUnsafe(false)

  const write = Effect.suspend(() => {
    more.closeUnsafe()
    if (gathered.size === 0) return Effect.void
    const uses = [...gathered.values()]
    gathered = new Map()
    return Effect.catchCause(keys.noteUses(uses), (cause) =>
      DatabaseOutage.report(cause, Effect.logWarning("the last-used times of API keys could not be written", cause))
    )
  })
  const note = (publicKey: string, now: Partial<KeyUse>) => {
    const before = gathered.get(publicKey)
    if (before === undefined && gathered.size >= maxGathered) return
    gathered.set(publicKey, { publicKey, lastUsedAtMillis: null, lastFailedAtMillis: null, ...before, ...now })
    more.openUnsafe()
  }

  yield* Effect.addFinalizer(() => write)
  yield* Effect.forkScoped(
    Effect.forever(more.await.pipe(Effect.andThen(Effect.sleep(writeEvery)), Effect.andThen(write)))
  )
  return {
    used: (publicKey, atMillis) => note(publicKey, { lastUsedAtMillis: atMillis }),
    failed: (publicKey, atMillis) => note(publicKey, { lastFailedAtMillis: atMillis })
  }
})

const maxGathered = 10_000
const writeEvery = "5 seconds"
