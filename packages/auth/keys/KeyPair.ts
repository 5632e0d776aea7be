/** A new API key: a public name and a secret. */
import type { KeyPair } from "@venue/storage/access/ApiKeys"
import { Context, Effect, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Buffer } from "node:buffer"

/** Prefix of the venue's API keys, which identifies the venue if a key leaks. */
export const KeyPrefix = Context.Reference<string>("@venue/auth/KeyPrefix", { defaultValue: () => "svc" })

/** Returns true if the text has the form of a public key with any prefix, because a venue can change its prefix. */
export const isPublicKey = (text: string): boolean => publicKeyPattern.test(text)

const publicKeyPattern = /^\w{1,64}_pub_[0-9a-f]{32}$/

/** Returns an effect that draws a new random pair each time it runs. */
export const make: Effect.Effect<Effect.Effect<KeyPair>, never, SecureRandom.SecureRandom> = Effect.gen(function* () {
  const { randomBytes } = yield* SecureRandom.SecureRandom
  const prefix = yield* KeyPrefix
  const hex = (bytes: number) => Effect.map(randomBytes(bytes), (drawn) => Buffer.from(drawn).toString("hex"))
  return Effect.all([hex(16), hex(32)]).pipe(
    Effect.map(([name, secret]) => ({
      publicKey: `${prefix}_pub_${name}`,
      secret: Redacted.make(`${prefix}_secret_${secret}`)
    }))
  )
})
