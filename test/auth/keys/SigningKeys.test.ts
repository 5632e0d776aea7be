import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, FileSystem, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { calculateJwkThumbprint, decodeProtectedHeader, exportJWK, generateKeyPair, jwtVerify } from "jose"

/** The name of a file that is not there yet, in a folder that is gone afterwards. */
const freshPath = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  return `${yield* files.makeTempDirectoryScoped()}/keys.json`
})

/** The keys as another process has them: it reads the same file. */
const opened = (path: string) =>
  Effect.map(Layer.build(Layer.fresh(SigningKeys.layerFile(path))), (services) => Context.get(services, SigningKeys))

const kidOf = (keys: SigningKeys["Service"]) =>
  Effect.map(keys.sign({}, "JWT"), (token) => decodeProtectedHeader(token).kid!)

/** Lets what woke up read its file, which takes real time. */
const settled = <A>(look: Effect.Effect<A>, expected: A) =>
  TestClock.withLive(
    look.pipe(
      Effect.tap(() => Effect.sleep("5 millis")),
      Effect.repeat({ until: (seen) => seen === expected })
    )
  )

const withFiles = <A, E>(test: Effect.Effect<A, E, FileSystem.FileSystem | Scope.Scope>) =>
  test.pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

describe("SigningKeys", () => {
  it.effect(
    "D1: what is published verifies what was signed, has no private member, and is named by its thumbprint",
    () =>
      Effect.gen(function* () {
        const keys = yield* SigningKeys
        const token = yield* keys.sign({ sub: "somebody" }, "at+jwt")
        const [jwk] = (yield* keys.jwks).keys
        assert.sameMembers(Object.keys(jwk!), ["kty", "crv", "x", "y", "kid", "alg", "use", "key_ops"])
        assert.deepInclude(jwk, { kty: "EC", crv: "P-256", alg: "ES256", use: "sig" })
        const thumbprint = yield* Effect.promise(() => calculateJwkThumbprint({ ...jwk!, key_ops: ["verify"] }))
        assert.strictEqual(jwk!.kid, thumbprint)
        assert.deepStrictEqual(decodeProtectedHeader(token), { alg: "ES256", kid: thumbprint, typ: "at+jwt" })
        const verified = yield* Effect.promise(() => jwtVerify(token, keys.find(thumbprint)!))
        assert.strictEqual(verified.payload.sub, "somebody")
      }).pipe(Effect.provide(SigningKeys.layerMemory))
  )

  it.effect("D2: tokens of the old key are verified until it is removed, and others are signed with the new one", () =>
    Effect.gen(function* () {
      const keys = yield* SigningKeys
      const old = yield* kidOf(keys)
      const next = yield* keys.standby
      assert.deepInclude(yield* Effect.flip(keys.activate(next)), { _tag: "TooEarly" })
      assert.strictEqual(yield* kidOf(keys), old)
      assert.strictEqual((yield* keys.jwks).keys.length, 2)
      yield* TestClock.adjust("20 minutes")
      yield* keys.activate(next)
      assert.strictEqual(yield* kidOf(keys), next)
      assert.isDefined(keys.find(old))
      yield* TestClock.adjust("70 minutes")
      assert.deepInclude(yield* Effect.flip(keys.remove(old)), { _tag: "TooEarly" })
      assert.isDefined(keys.find(old))
      yield* TestClock.adjust("1 minute")
      yield* keys.remove(old)
      assert.isUndefined(keys.find(old))
      assert.strictEqual((yield* keys.jwks).keys.length, 1)
    }).pipe(Effect.provide(SigningKeys.layerMemory))
  )
})

describe("SigningKeys in a file", () => {
  it.effect("a file that was made is readable by its owner only, and is not made twice", () =>
    withFiles(
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = yield* freshPath
        yield* SigningKeys.makeFile(path)
        const text = yield* files.readFileString(path)
        yield* SigningKeys.makeFile(path)
        assert.strictEqual(yield* files.readFileString(path), text)
        assert.strictEqual((yield* files.stat(path)).mode & 0o777, 0o600)
        assert.strictEqual(yield* kidOf(yield* opened(path)), yield* kidOf(yield* opened(path)))
      })
    )
  )

  it.effect("D2: another process signs and verifies with what one changed, after half a minute at most", () =>
    withFiles(
      Effect.gen(function* () {
        const path = yield* freshPath
        yield* SigningKeys.makeFile(path)
        const [here, there] = [yield* opened(path), yield* opened(path)]
        const old = yield* kidOf(here)
        const next = yield* here.standby
        assert.isUndefined(there.find(next))
        yield* TestClock.adjust("30 seconds")
        yield* settled(
          Effect.sync(() => there.find(next) !== undefined),
          true
        )
        yield* here.activate(next, { emergency: true })
        yield* here.remove(old, { emergency: true })
        assert.isUndefined(here.find(old))
        yield* TestClock.adjust("30 seconds")
        yield* settled(
          Effect.sync(() => there.find(old) === undefined),
          true
        )
        assert.strictEqual(yield* kidOf(there), next)
      })
    )
  )

  it.effect("D2: an unknown key is looked for at once, and a hundred of them make one read in half a minute", () =>
    withFiles(
      Effect.gen(function* () {
        const path = yield* freshPath
        yield* SigningKeys.makeFile(path)
        const [here, there] = [yield* opened(path), yield* opened(path)]
        const next = yield* here.standby
        assert.isDefined(yield* there.seek(next))
        const later = yield* here.standby
        for (let n = 0; n < 100; n++) assert.isUndefined(yield* there.seek(`unknown-${n}`))
        assert.isUndefined(yield* there.seek(later))
        yield* TestClock.adjust("30 seconds")
        assert.isDefined(yield* there.seek(later))
      })
    )
  )

  it.effect("a change that is refused, or that another is making, leaves the file as it was", () =>
    withFiles(
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = yield* freshPath
        yield* SigningKeys.makeFile(path)
        const keys = yield* opened(path)
        const text = yield* files.readFileString(path)
        assert.deepInclude(yield* Effect.flip(keys.remove(yield* kidOf(keys))), { _tag: "KeyInUse" })
        assert.isFalse(yield* files.exists(`${path}.next`))
        yield* files.writeFileString(`${path}.next`, "")
        assert.deepInclude(yield* Effect.flip(keys.standby), { reason: "changing" })
        assert.isTrue(yield* files.exists(`${path}.next`))
        assert.strictEqual(yield* files.readFileString(path), text)
      })
    )
  )

  it.effect("keys that were good stay when the file no longer is", () =>
    withFiles(
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = yield* freshPath
        yield* SigningKeys.makeFile(path)
        const keys = yield* opened(path)
        const kid = yield* kidOf(keys)
        yield* files.writeFileString(path, "{}")
        assert.isUndefined(yield* keys.seek("unknown"))
        assert.strictEqual(yield* kidOf(keys), kid)
      })
    )
  )

  it.effect("D3: the start is refused without exactly one good key in a file of one owner", () =>
    withFiles(
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = yield* freshPath
        const refusal = (text: string, mode = 0o600) =>
          Effect.gen(function* () {
            yield* files.writeFileString(path, text)
            yield* files.chmod(path, mode)
            return (yield* Effect.flip(opened(path))).reason
          })
        assert.strictEqual((yield* Effect.flip(opened(path))).reason, "unreadable")
        const [one, two] = [yield* entry("ES256"), yield* entry("ES256")]
        const file = (...keys: ReadonlyArray<unknown>) => JSON.stringify({ keys })
        assert.strictEqual(yield* refusal(file(one), 0o640), "exposed")
        assert.strictEqual(yield* refusal(file(one), 0o604), "exposed")
        assert.strictEqual(yield* refusal(""), "malformed")
        assert.strictEqual(yield* refusal("{}"), "malformed")
        assert.strictEqual(yield* refusal(file()), "active_keys")
        assert.strictEqual(yield* refusal(file({ ...one, state: "standby" })), "active_keys")
        assert.strictEqual(yield* refusal(file(one, two)), "active_keys")
        assert.strictEqual(yield* refusal(file(yield* entry("ES384"))), "malformed")
        assert.strictEqual(yield* refusal(file(yield* entry("RS256"))), "malformed")
        assert.strictEqual(yield* refusal(file({ ...one, jwk: { kty: "oct", k: "c2VjcmV0" } })), "malformed")
        const { d: _, ...onlyPublic } = one.jwk
        assert.strictEqual(yield* refusal(file({ ...one, jwk: onlyPublic })), "malformed")
        assert.strictEqual(yield* refusal(file({ ...one, jwk: { ...one.jwk, d: two.jwk.d } })), "wrong_key")
        assert.strictEqual(yield* refusal(file({ ...one, jwk: { ...one.jwk, d: "A".repeat(43) } })), "wrong_key")
        assert.strictEqual(yield* refusal(file({ ...one, jwk: { ...one.jwk, y: one.jwk.x } })), "wrong_key")
        yield* files.writeFileString(path, file(one, { ...two, state: "retired" }))
        assert.strictEqual((yield* (yield* opened(path)).jwks).keys.length, 2)
      })
    )
  )

  it.effect("a refusal to start holds nothing of the file", () =>
    withFiles(
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = yield* freshPath
        const one = yield* entry("ES256")
        yield* files.writeFileString(path, JSON.stringify({ keys: [{ ...one, state: "else" }] }), { mode: 0o600 })
        const refused = yield* Effect.flip(opened(path))
        assert.notInclude(`${String(refused)} ${JSON.stringify(refused)} ${refused.stack}`, one.jwk.d!)
      })
    )
  )
})

/** An active key of this algorithm, as the file has it. */
const entry = (algorithm: string) =>
  Effect.gen(function* () {
    const { privateKey } = yield* Effect.promise(() => generateKeyPair(algorithm, { extractable: true }))
    const jwk = yield* Effect.promise(() => exportJWK(privateKey))
    return { state: "active", sinceMillis: 0, jwk }
  })
