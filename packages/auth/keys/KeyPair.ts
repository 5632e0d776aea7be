/** A new API key: a public name to call with and the secret to sign with. */
import type { KeyPair } from "@venue/storage/access/ApiKeys"
import { Context, Effect, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Buffer } from "node:buffer"

/** What the keys of a venue begin with, so that whoever finds one knows whose it is. */
export const KeyPrefix = Context.Reference<string>("@venue/auth/KeyPrefix", { defaultValue: () => "svc" })

/** Whether it has the form of public names, under whatever prefix: a venue may have had another. */
export const isPublicKey = (text: string): boolean => publicKeyPattern.test(text)

const publicKeyPattern = /^\w{1,64}_pub_[0-9a-f]{32}$/

/** Each run of it draws another pair. */
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
