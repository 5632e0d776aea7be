import * as KeyFile from "@venue/auth/keys/KeyFile"
import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { exportJWK, generateKeyPair } from "jose"

const path = Effect.gen(function* () {
  return `${yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()}/keys.json`
})

/** An active key of this algorithm, as the file has it. */
const entry = (algorithm: string) =>
  Effect.gen(function* () {
    const { privateKey } = yield* Effect.promise(() => generateKeyPair(algorithm, { extractable: true }))
    const jwk = yield* Effect.promise(() => exportJWK(privateKey))
    return { state: "active", sinceMillis: 0, jwk }
  })

describe("KeyFile", () => {
  it.effect("D3: the start is refused without exactly one good key in a file of one owner", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = yield* path
      const refusal = (text: string, mode = 0o600) =>
        Effect.gen(function* () {
          yield* files.writeFileString(file, text)
          yield* files.chmod(file, mode)
          return (yield* Effect.flip(KeyFile.read(file))).reason
        })
      assert.strictEqual((yield* Effect.flip(KeyFile.read(file))).reason, "unreadable")
      const [one, two] = [yield* entry("ES256"), yield* entry("ES256")]
      const text = (...keys: ReadonlyArray<unknown>) => JSON.stringify({ keys })
      assert.strictEqual(yield* refusal(text(one), 0o640), "exposed")
      assert.strictEqual(yield* refusal(text(one), 0o604), "exposed")
      assert.strictEqual(yield* refusal(""), "malformed")
      assert.strictEqual(yield* refusal("{}"), "malformed")
      assert.strictEqual(yield* refusal(text()), "active_keys")
      assert.strictEqual(yield* refusal(text({ ...one, state: "standby" })), "active_keys")
      assert.strictEqual(yield* refusal(text(one, two)), "active_keys")
      assert.strictEqual(yield* refusal(text(yield* entry("ES384"))), "malformed")
      assert.strictEqual(yield* refusal(text(yield* entry("RS256"))), "malformed")
      assert.strictEqual(yield* refusal(text({ ...one, jwk: { kty: "oct", k: "c2VjcmV0" } })), "malformed")
      const { d: _, ...onlyPublic } = one.jwk
      assert.strictEqual(yield* refusal(text({ ...one, jwk: onlyPublic })), "malformed")
      assert.strictEqual(yield* refusal(text({ ...one, jwk: { ...one.jwk, d: two.jwk.d } })), "wrong_key")
      assert.strictEqual(yield* refusal(text({ ...one, jwk: { ...one.jwk, d: "A".repeat(43) } })), "wrong_key")
      assert.strictEqual(yield* refusal(text({ ...one, jwk: { ...one.jwk, y: one.jwk.x } })), "wrong_key")
      yield* files.writeFileString(file, text(one, { ...two, state: "retired" }))
      assert.strictEqual((yield* KeyFile.read(file)).length, 2)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.effect("a refusal to start holds nothing of the file", () =>
    Effect.gen(function* () {
      const file = yield* path
      const one = yield* entry("ES256")
      const text = JSON.stringify({ keys: [{ ...one, state: "else" }] })
      yield* (yield* FileSystem.FileSystem).writeFileString(file, text, { mode: 0o600 })
      const refused = yield* Effect.flip(KeyFile.read(file))
      assert.notInclude(`${String(refused)} ${JSON.stringify(refused)} ${refused.stack}`, one.jwk.d!)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})
