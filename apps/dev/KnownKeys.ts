/** Which keys tokens were signed with, remembered beside the file that holds them: another file in its place is told of. */
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { Effect } from "effect"
import { keyFileName } from "./Secrets.ts"

/** Rotation leaves one of the keys in place each time, and it is looked at more often than a rotation takes. */
export const watch = Effect.fn("KnownKeys.watch")(function* <E, R>(
  known: ReadonlyArray<string>,
  options: {
    readonly save: (keys: ReadonlyArray<string>) => Effect.Effect<void, E, R>
    readonly say: (text: string) => Effect.Effect<void>
  }
) {
  const keys = yield* SigningKeys
  const ids = Effect.map(keys.ring, (ring) => ring.map(({ key }) => key.kid))
  let saved = yield* ids
  if (known.length > 0 && !known.some((id) => saved.includes(id)))
    yield* options.say(`${keyFileName} is not that of the last start: tokens of before are no longer accepted`)
  yield* options.save(saved)
  const look = Effect.gen(function* () {
    const now = yield* ids
    if (now.join() === saved.join()) return
    yield* options.save(now)
    saved = now
  })
  yield* Effect.forkScoped(Effect.forever(Effect.delay(Effect.ignore(look), "30 seconds")))
})
