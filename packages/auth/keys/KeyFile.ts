/** The file that earlier releases kept the keys in, with the mode of a secret. */
import { KeyState } from "@venue/storage/access/SigningKeyTable"
import { Effect, FileSystem, Redacted, Result, Schema } from "effect"
import { ringOf, unusable } from "./KeptRing.ts"
import { PrivateJwk } from "./SigningKey.ts"

export const read = Effect.fn("KeyFile.read")(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const { mode } = yield* Effect.mapError(files.stat(path), () => unusable("unreadable"))
  if ((mode & othersBits) !== 0) return yield* unusable("exposed")
  const text = yield* Effect.mapError(files.readFileString(path), () => unusable("unreadable"))
  const { keys } = yield* Effect.fromResult(Result.mapError(decode(text), () => unusable("malformed")))
  const kept = keys.map(({ jwk, ...key }) => ({ ...key, kid: "", jwk: Redacted.make(JSON.stringify(jwk)) }))
  return yield* Effect.fromResult(ringOf(kept))
})

const othersBits = 0o077

const decode = Schema.decodeUnknownResult(
  Schema.fromJsonString(
    Schema.Struct({
      keys: Schema.Array(Schema.Struct({ state: KeyState, sinceMillis: Schema.Int, jwk: PrivateJwk }))
    })
  )
)
