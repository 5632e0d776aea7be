import { KeyRotation } from "@venue/auth/keys/KeyRotation"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { Audit } from "@venue/storage/access/Audit"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { type Revocation, Revocations } from "@venue/storage/access/Revocations"
import { SigningKeyTable } from "@venue/storage/access/SigningKeyTable"
import { Seal } from "@venue/postgres/Seal"
import { Transaction } from "@venue/postgres/Transaction"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const operator = { actor: "operator", reason: "a test" }
const [inTime, atOnce] = [{ emergency: false }, { emergency: true }]

const deeds = (kid: string) =>
  Effect.flatMap(Audit, (audit) => Effect.map(audit.about(kid), (all) => all.map(({ action }) => action)))

const states = Effect.flatMap(KeyRotation, ({ ring }) => Effect.map(ring, (keys) => keys.map(({ state }) => state)))

const suite = (
  name: string,
  services: Layer.Layer<Audit | KeyRotation | Revocations | SigningKeys | SigningKeyTable | Transaction, unknown>
) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect(
      "D2: records each rotation step with operator, reason and emergency flag, and does not record rejected steps",
      () =>
        Effect.gen(function* () {
          const rotation = yield* KeyRotation
          const [first] = yield* rotation.ring
          const old = first!.key.kid
          const kid = yield* rotation.standby(operator)
          assert.strictEqual((yield* Effect.flip(rotation.activate(kid, inTime, operator)))._tag, "TooEarly")
          assert.strictEqual((yield* Effect.flip(rotation.remove(old, atOnce, operator)))._tag, "KeyInUse")
          assert.deepStrictEqual(yield* states, ["active", "standby"])
          assert.deepStrictEqual([yield* deeds(kid), yield* deeds(old)], [["signing_key_published"], []])
          yield* TestClock.adjust("20 minutes")
          yield* rotation.activate(kid, inTime, operator)
          assert.strictEqual((yield* Effect.flip(rotation.activate(kid, inTime, operator)))._tag, "NotStandby")
          assert.strictEqual((yield* Effect.flip(rotation.remove("nobody", atOnce, operator)))._tag, "UnknownKey")
          assert.deepStrictEqual(yield* states, ["retired", "active"])
          yield* rotation.remove(old, atOnce, operator)
          assert.deepStrictEqual(yield* states, ["active"])
          assert.deepStrictEqual(yield* deeds(kid), ["signing_key_activated", "signing_key_published"])
          const [removed] = yield* (yield* Audit).about(old)
          assert.deepInclude(removed, { action: "signing_key_removed", actor: "operator" })
          assert.deepStrictEqual(removed!.facts, { kid: old, reason: "a test", emergency: true })
        })
    )

    it.effect("D2: revokes a key's tokens only when the key is removed in an emergency", () =>
      Effect.gen(function* () {
        const rotation = yield* KeyRotation
        const announced: Array<Revocation> = []
        const last = yield* Deferred.make<void>()
        yield* (yield* Revocations).watch((revocation) => {
          announced.push(revocation)
          if (revocation.subject === "the last") Deferred.doneUnsafe(last, Effect.void)
        })
        const replaced = Effect.gen(function* () {
          const old = (yield* rotation.ring).find(({ state }) => state === "active")!.key.kid
          yield* rotation.activate(yield* rotation.standby(operator), atOnce, operator)
          return old
        })
        const [inNoHurry, stolen] = [yield* replaced, yield* replaced]
        yield* TestClock.adjust("72 minutes")
        yield* rotation.remove(inNoHurry, inTime, operator)
        yield* rotation.remove(stolen, atOnce, operator)
        // Repeats the removal, as a client does that has received no response.
        assert.strictEqual((yield* Effect.flip(rotation.remove(stolen, atOnce, operator)))._tag, "UnknownKey")
        assert.strictEqual((yield* Effect.flip(rotation.remove(inNoHurry, inTime, operator)))._tag, "UnknownKey")
        yield* (yield* Revocations).announce({ kind: "key", subject: "the last" })
        yield* Deferred.await(last)
        const taken = { kind: "signing_key", subject: stolen }
        // Ignores revocations by other tests, because a poll publishes all notices since the previous poll.
        const about = new Set([inNoHurry, stolen, "the last"])
        assert.deepStrictEqual(
          announced
            .filter(({ kind, subject }) => kind !== "signing_keys" && about.has(subject))
            .map(({ kind, subject }) => ({ kind, subject })),
          [taken, taken, { kind: "key", subject: "the last" }]
        )
      })
    )

    it.effect("rejects a key rotation step that cannot be recorded", () =>
      Effect.gen(function* () {
        const rotation = yield* KeyRotation
        const kid = yield* rotation.standby(operator)
        const before = yield* rotation.ring
        const audit = yield* Audit
        const failing = Audit.of({ ...audit, record: () => Effect.fail(new DatabaseUnavailable({ cause: "a test" })) })
        const unrecorded = Effect.fnUntraced(function* <E extends { readonly _tag: string }>(
          step: (rotation: KeyRotation["Service"]) => Effect.Effect<unknown, E>
        ) {
          const refused = yield* Effect.flatMap(KeyRotation, step).pipe(
            Effect.provide(Layer.fresh(KeyRotation.layer)),
            Effect.provideService(Audit, failing),
            Effect.flip
          )
          assert.strictEqual(refused._tag, "DatabaseUnavailable")
        })
        yield* unrecorded(({ standby }) => standby(operator))
        yield* unrecorded(({ activate }) => activate(kid, atOnce, operator))
        yield* unrecorded(({ remove }) => remove(kid, atOnce, operator))
        const kids = (ring: typeof before) => ring.map(({ key, state }) => [key.kid, state])
        assert.deepStrictEqual(kids(yield* rotation.ring), kids(before))
      })
    )
  })

const over = <E, R>(tables: Layer.Layer<Audit | Revocations | SigningKeyTable | Transaction, E, R>) =>
  KeyRotation.layer.pipe(Layer.provideMerge(SigningKeys.layer), Layer.provideMerge(tables))

suite(
  "KeyRotation in memory",
  over(Layer.mergeAll(Audit.layerMemory, Revocations.layerMemory, SigningKeyTable.layerMemory, Transaction.layerMemory))
)
suite(
  "KeyRotation on Postgres",
  over(Layer.mergeAll(Audit.layer, Revocations.layer, SigningKeyTable.layer, Transaction.layer)).pipe(
    Layer.provide(Seal.layer(Redacted.make("a secret key for tests, and for nothing else"))),
    Layer.provide(postgresLayer)
  )
)
