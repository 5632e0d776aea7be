import { ringOf } from "@venue/auth/keys/KeptRing"
import type { StoredKey } from "@venue/storage/access/SigningKeyTable"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { exportJWK, generateKeyPair } from "jose"

interface Stored {
  readonly state: StoredKey["state"]
  readonly jwk: unknown
}

const entry = (algorithm: string) =>
  Effect.gen(function* () {
    const { privateKey } = yield* Effect.promise(() => generateKeyPair(algorithm, { extractable: true }))
    const jwk = yield* Effect.promise(() => exportJWK(privateKey))
    return { state: "active", jwk } as const
  })

const ring = (...keys: ReadonlyArray<Stored>) =>
  ringOf(keys.map(({ jwk, state }) => ({ kid: "", state, sinceMillis: 0, jwk: Redacted.make(JSON.stringify(jwk)) })))

const refusal = (...keys: ReadonlyArray<Stored>) => Result.getOrThrow(Result.flip(ring(...keys))).reason

describe("KeptRing", () => {
  it.effect("D3: rejects a key ring that does not have exactly one valid active key", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* entry("ES256"), yield* entry("ES256")]
      assert.strictEqual(refusal(), "active_keys")
      assert.strictEqual(refusal({ ...first, state: "standby" }), "active_keys")
      assert.strictEqual(refusal(first, second), "active_keys")
      assert.strictEqual(refusal({ ...first, jwk: "" }), "malformed")
      assert.strictEqual(refusal({ ...first, jwk: {} }), "malformed")
      assert.strictEqual(refusal(yield* entry("ES384")), "malformed")
      assert.strictEqual(refusal(yield* entry("RS256")), "malformed")
      assert.strictEqual(refusal({ ...first, jwk: { kty: "oct", k: "c2VjcmV0" } }), "malformed")
      const { d: _, ...onlyPublic } = first.jwk
      assert.strictEqual(refusal({ ...first, jwk: onlyPublic }), "malformed")
      assert.strictEqual(refusal({ ...first, jwk: { ...first.jwk, d: second.jwk.d } }), "wrong_key")
      assert.strictEqual(refusal({ ...first, jwk: { ...first.jwk, d: "A".repeat(43) } }), "wrong_key")
      assert.strictEqual(refusal({ ...first, jwk: { ...first.jwk, y: first.jwk.x } }), "wrong_key")
      assert.strictEqual(Result.getOrThrow(ring(first, { ...second, state: "retired" })).length, 2)
    })
  )

  it.effect("an error message contains no part of a key", () =>
    Effect.gen(function* () {
      const { jwk } = yield* entry("ES256")
      const refused = Result.getOrThrow(Result.flip(ring({ state: "active", jwk: { ...jwk, y: jwk.x } })))
      assert.notInclude(`${String(refused)} ${JSON.stringify(refused)} ${refused.stack}`, jwk.d!)
    })
  )
})
