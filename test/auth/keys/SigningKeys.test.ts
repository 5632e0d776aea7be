import { KeyRotation } from "@venue/auth/keys/KeyRotation"
import type * as KeyRing from "@venue/auth/keys/KeyRing"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { Seal } from "@venue/postgres/Seal"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import { Revocations } from "@venue/storage/access/Revocations"
import { SigningKeyTable } from "@venue/storage/access/SigningKeyTable"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { calculateJwkThumbprint, decodeProtectedHeader, jwtVerify } from "jose"
import { dump, postgresLayer } from "../../Postgres.ts"

const operator = { actor: "operator", reason: "a test" }
const [inTime, atOnce] = [{ emergency: false }, { emergency: true }]

/** Second node on the same tables. It receives announcements only from the given `Revocations`. */
const node = (ears = deaf) =>
  Effect.map(Layer.build(Layer.provide(Layer.fresh(SigningKeys.layer), Layer.succeed(Revocations)(ears))), (services) =>
    Context.get(services, SigningKeys)
  )
const deaf = Revocations.of({
  watch: () => Effect.void,
  announce: () => Effect.void,
  numberAbove: () => Effect.void,
  delayMillis: () => 0,
  whenDelayed: () => Effect.void
})

const kidOf = (keys: SigningKeys["Service"]) =>
  Effect.map(keys.sign({}, "JWT"), (token) => decodeProtectedHeader(token).kid!)

/** Polls a condition, because no event signals that the other node has read the keys. */
const until = (holds: () => boolean) =>
  Effect.repeat(
    Effect.callback<boolean>((resume) => void setImmediate(() => resume(Effect.sync(holds)))),
    { until: (held) => held }
  )

type Services = Audit | KeyRotation | Revocations | SigningKeys | SigningKeyTable | Transaction

const suite = <R>(
  name: string,
  services: Layer.Layer<Services | R, unknown>,
  elsewhere: Effect.Effect<Revocations["Service"], unknown, Services | R | Scope.Scope>
) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect(
      "D1: publishes the verification key without private members, with the key's thumbprint as its key id",
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
        })
    )

    it.effect("D2: signs with the new key, and verifies the old key's tokens until that key is removed", () =>
      Effect.gen(function* () {
        const keys = yield* SigningKeys
        const rotation = yield* KeyRotation
        const old = yield* kidOf(keys)
        const next = yield* rotation.standby(operator)
        assert.strictEqual(yield* kidOf(keys), old)
        assert.strictEqual((yield* keys.jwks).keys.length, 2)
        yield* TestClock.adjust("20 minutes")
        yield* rotation.activate(next, inTime, operator)
        assert.strictEqual(yield* kidOf(keys), next)
        yield* TestClock.adjust("70 minutes")
        assert.deepInclude(yield* Effect.flip(rotation.remove(old, inTime, operator)), { _tag: "TooEarly" })
        assert.isDefined(keys.find(old))
        yield* TestClock.adjust("1 minute")
        yield* rotation.remove(old, inTime, operator)
        assert.isUndefined(keys.find(old))
        assert.strictEqual((yield* keys.jwks).keys.length, 1)
      })
    )

    it.effect("D2: when another node activates or removes a key, applies the change once it is announced", () =>
      Effect.gen(function* () {
        const [here, there] = [yield* SigningKeys, yield* node(yield* elsewhere)]
        const rotation = yield* KeyRotation
        const old = yield* kidOf(here)
        const next = yield* rotation.standby(operator)
        yield* until(() => there.find(next) !== undefined)
        yield* rotation.activate(next, atOnce, operator)
        yield* rotation.remove(old, atOnce, operator)
        assert.isUndefined(here.find(old))
        yield* until(() => there.find(old) === undefined)
        assert.strictEqual(yield* kidOf(there), next)
      })
    )

    it.effect("D2: reloads the stored keys when a token names an unknown key, but at most once in 30 s", () =>
      Effect.gen(function* () {
        const there = yield* node()
        const rotation = yield* KeyRotation
        yield* TestClock.adjust("30 seconds")
        const next = yield* rotation.standby(operator)
        assert.isDefined(yield* there.seek(next))
        const later = yield* rotation.standby(operator)
        for (let n = 0; n < 100; n++) assert.isUndefined(yield* there.seek(`unknown-${n}`))
        assert.isUndefined(yield* there.seek(later))
        yield* TestClock.adjust("30 seconds")
        assert.isDefined(yield* there.seek(later))
      })
    )

    it.effect("a node that starts later loads the existing keys, and creates no new key", () =>
      Effect.gen(function* () {
        const ids = (keys: SigningKeys["Service"]) =>
          Effect.map(keys.ring, (ring) => ring.map(({ key, state }) => [key.kid, state]))
        assert.deepStrictEqual(yield* ids(yield* node()), yield* ids(yield* SigningKeys))
      })
    )

    it.effect("keeps using loaded keys when the stored keys become invalid", () =>
      Effect.gen(function* () {
        const keys = yield* SigningKeys
        const table = yield* SigningKeyTable
        const kid = yield* kidOf(keys)
        const before = yield* table.all
        yield* table.replace(() => Effect.succeed([]))
        yield* keys.reread
        assert.strictEqual(yield* kidOf(keys), kid)
        yield* table.replace(() => Effect.succeed(before))
      })
    )
  })

const rotating = KeyRotation.layer.pipe(Layer.provideMerge(SigningKeys.layer))

suite(
  "SigningKeys in memory",
  rotating.pipe(
    Layer.provideMerge(
      Layer.mergeAll(Audit.layerMemory, Revocations.layerMemory, SigningKeyTable.layerMemory, Transaction.layerMemory)
    )
  ),
  Effect.flatMap(Revocations, Effect.succeed)
)

const seal = Seal.layer(Redacted.make("a secret key for tests, and for nothing else"))
const tables = Layer.mergeAll(Audit.layer, Revocations.layer, SigningKeyTable.layer, Transaction.layer)
const onPostgres = rotating.pipe(
  Layer.provideMerge(tables),
  Layer.provideMerge(seal),
  Layer.provideMerge(postgresLayer)
)

suite(
  "SigningKeys on Postgres",
  onPostgres,
  Effect.map(Layer.build(Layer.fresh(Revocations.layer)), (services) => Context.get(services, Revocations))
)

it.effect("creates a single first key when nodes start concurrently on a new database", () =>
  Effect.gen(function* () {
    const starts = Array.from({ length: 8 }, () => Effect.flatMap(node(), kidOf))
    const kids = yield* Effect.all(starts, { concurrency: "unbounded" })
    assert.strictEqual(new Set(kids).size, 1)
    assert.strictEqual((yield* (yield* SigningKeyTable).all).length, 1)
  }).pipe(Effect.scoped, Effect.provide(SigningKeyTable.layer.pipe(Layer.provide(seal), Layer.provide(postgresLayer))))
)

it.effect("I46: stores no private key in plain text", () =>
  Effect.gen(function* () {
    const [{ key }] = (yield* (yield* SigningKeys).ring) as [KeyRing.RingKey]
    const text = yield* dump
    assert.include(text, key.kid)
    assert.notInclude(text, Redacted.value(key.jwk).d)
    assert.notInclude(text, Buffer.from(Redacted.value(key.jwk).d).toString("hex"))
  }).pipe(Effect.provide(onPostgres))
)

it.effect("reads a change to several keys completely or not at all", () =>
  Effect.gen(function* () {
    const rotation = yield* KeyRotation
    const table = yield* SigningKeyTable
    const outside = yield* Effect.context<never>()
    const states = Effect.map(table.all, (keys) => keys.map(({ state }) => state))
    const kid = yield* rotation.standby(operator)
    const sql = yield* SqlClient.SqlClient
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* rotation.activate(kid, atOnce, operator)
        assert.deepStrictEqual(yield* states, ["retired", "active"])
        const seen = yield* Effect.promise(() => Effect.runPromiseWith(outside)(states))
        assert.deepStrictEqual(seen, ["active", "standby"])
      })
    )
    assert.deepStrictEqual(yield* states, ["retired", "active"])
  }).pipe(Effect.provide(onPostgres))
)
