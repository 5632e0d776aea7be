import { UserId } from "@venue/domain/UserId"
import { FactorChallenges } from "@venue/storage/access/FactorChallenges"
import { Factors } from "@venue/storage/access/Factors"
import { RecoveryCodes } from "@venue/storage/access/RecoveryCodes"
import { Seal } from "@venue/postgres/Seal"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

type Services = FactorChallenges | Factors | RecoveryCodes | Transaction | Users

const secret = Redacted.make("JBSWY3DPEHPK3PXP")

/** Creates a user with one factor. The factor's id is derived from the user's id. */
const begin = Effect.fnUntraced(function* (userId: UserId, friendlyName = "") {
  const factorId = `factor of ${userId}`
  yield* (yield* Users).create({ userId, name: userId })
  yield* (yield* Factors).add({ factorId, userId, friendlyName, secret })
  return factorId
})
const atOnce = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, () => effect),
    { concurrency: "unbounded" }
  )

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("lists a factor without its secret, and returns the secret only to its user", () =>
      Effect.gen(function* () {
        const factors = yield* Factors
        yield* TestClock.setTime(5_000)
        const factorId = yield* begin(UserId.make("amy"), "phone")
        yield* begin(UserId.make("ann"))
        const factor = { factorId, userId: "amy", friendlyName: "phone", status: "unverified" }
        const times = { createdAtMillis: 5_000, updatedAtMillis: 5_000 }
        assert.deepStrictEqual<unknown>(yield* factors.ofUser(UserId.make("amy")), [{ ...factor, ...times }])
        const stored = Option.getOrThrow(yield* factors.find(UserId.make("amy"), factorId))
        assert.strictEqual(Redacted.value(stored.secret), Redacted.value(secret))
        assert.deepStrictEqual(yield* factors.find(UserId.make("ann"), factorId), Option.none())
      })
    )

    it.effect("verifies a factor with an accepted code", () =>
      Effect.gen(function* () {
        const factors = yield* Factors
        yield* TestClock.setTime(5_000)
        const factorId = yield* begin(UserId.make("ben"))
        yield* TestClock.setTime(6_000)
        assert.isTrue(yield* factors.accept(factorId, 1))
        const [factor] = yield* factors.ofUser(UserId.make("ben"))
        assert.deepInclude(factor, { status: "verified", createdAtMillis: 5_000, updatedAtMillis: 6_000 })
      })
    )

    it.effect("M2: accepts each time step once under concurrent requests, and rejects earlier steps afterwards", () =>
      Effect.gen(function* () {
        const factors = yield* Factors
        const factorId = yield* begin(UserId.make("cat"))
        const accepted = yield* atOnce(20, factors.accept(factorId, 7))
        assert.lengthOf(accepted.filter(Boolean), 1)
        assert.isFalse(yield* factors.accept(factorId, 6))
        assert.isTrue(yield* factors.accept(factorId, 8))
      })
    )

    it.effect("rejects a factor with the name of another factor of the same user, unless both are unnamed", () =>
      Effect.gen(function* () {
        const factors = yield* Factors
        yield* begin(UserId.make("dan"), "phone")
        const more = (factorId: string, friendlyName: string) =>
          factors.add({ factorId, userId: UserId.make("dan"), friendlyName, secret })
        assert.strictEqual((yield* Effect.flip(more("dan-2", "phone")))._tag, "FactorNameConflict")
        assert.lengthOf(yield* factors.ofUser(UserId.make("dan")), 1)
        yield* more("dan-3", "")
        yield* more("dan-4", "")
        yield* begin(UserId.make("dora"), "phone")
        assert.lengthOf(yield* factors.ofUser(UserId.make("dan")), 3)
      })
    )

    it.effect(
      "deletes a factor that is not verified within 300 seconds, and makes the factor's name available again",
      () =>
        Effect.gen(function* () {
          const factors = yield* Factors
          yield* TestClock.setTime(1_000)
          const factorId = yield* begin(UserId.make("eve"), "phone")
          yield* begin(UserId.make("eva"))
          yield* factors.accept("factor of eva", 1)
          yield* TestClock.setTime(300_999)
          assert.lengthOf(yield* factors.ofUser(UserId.make("eve")), 1)
          yield* TestClock.setTime(301_000)
          assert.deepStrictEqual(yield* factors.ofUser(UserId.make("eve")), [])
          assert.deepStrictEqual(yield* factors.find(UserId.make("eve"), factorId), Option.none())
          assert.isFalse(yield* factors.accept(factorId, 9))
          yield* factors.add({ factorId: "eve-2", userId: UserId.make("eve"), friendlyName: "phone", secret })
          assert.lengthOf(yield* factors.ofUser(UserId.make("eva")), 1)
        })
    )

    it.effect("rolls back a factor's changes if their transaction fails", () =>
      Effect.gen(function* () {
        const factors = yield* Factors
        const challenges = yield* FactorChallenges
        const { run } = yield* Transaction
        const factorId = yield* begin(UserId.make("fay"))
        const challenge = { challengeId: "fay-1", factorId, sessionId: "s" }
        yield* challenges.issue(challenge)
        const work = Effect.all([challenges.spend("fay-1"), factors.accept(factorId, 1)])
        yield* Effect.ignore(run(Effect.andThen(work, Effect.fail("no"))))
        assert.strictEqual((yield* factors.ofUser(UserId.make("fay")))[0]?.status, "unverified")
        yield* challenges.attempt(challenge)
      })
    )

    it.effect("does not find a removed factor", () =>
      Effect.gen(function* () {
        const factors = yield* Factors
        const factorId = yield* begin(UserId.make("gus"))
        yield* (yield* FactorChallenges).issue({ challengeId: "gus-1", factorId, sessionId: "s" })
        yield* factors.remove(factorId)
        assert.deepStrictEqual(yield* factors.ofUser(UserId.make("gus")), [])
      })
    )

    it.effect("M2: accepts a challenge once, within 300 seconds, and only for its own factor and session", () =>
      Effect.gen(function* () {
        const challenges = yield* FactorChallenges
        yield* TestClock.setTime(1_000)
        const factorId = yield* begin(UserId.make("hal"))
        const challenge = { challengeId: "hal-1", factorId, sessionId: "s" }
        assert.strictEqual(yield* challenges.issue(challenge), 301_000)
        yield* challenges.issue({ ...challenge, challengeId: "hal-2" })
        for (const other of [{ sessionId: "t" }, { factorId: "factor of amy" }, { challengeId: "hal-0" }]) {
          const refused = yield* Effect.flip(challenges.attempt({ ...challenge, ...other }))
          assert.strictEqual(refused._tag, "ChallengeExpired")
        }
        yield* TestClock.setTime(300_999)
        yield* challenges.attempt(challenge)
        assert.lengthOf((yield* atOnce(10, challenges.spend("hal-1"))).filter(Boolean), 1)
        assert.strictEqual((yield* Effect.flip(challenges.attempt(challenge)))._tag, "ChallengeExpired")
        yield* TestClock.setTime(301_000)
        const late = yield* Effect.flip(challenges.attempt({ ...challenge, challengeId: "hal-2" }))
        assert.strictEqual(late._tag, "ChallengeExpired")
      })
    )

    it.effect("M3: allows five attempts per challenge, even when they are concurrent", () =>
      Effect.gen(function* () {
        const challenges = yield* FactorChallenges
        const challenge = { challengeId: "ida-1", factorId: yield* begin(UserId.make("ida")), sessionId: "s" }
        yield* challenges.issue(challenge)
        const tries = yield* atOnce(20, Effect.exit(challenges.attempt(challenge)))
        assert.lengthOf(
          tries.filter(({ _tag }) => _tag === "Success"),
          5
        )
      })
    )

    it.effect("M3: allows a user 15 attempts per minute, even when they are concurrent", () =>
      Effect.gen(function* () {
        const { count } = yield* FactorChallenges
        yield* begin(UserId.make("jim"))
        yield* begin(UserId.make("joy"))
        yield* TestClock.setTime(1_000)
        const attempts = yield* atOnce(30, Effect.exit(count(UserId.make("jim"))))
        assert.lengthOf(
          attempts.filter(({ _tag }) => _tag === "Success"),
          15
        )
        yield* TestClock.setTime(60_999)
        const refused = yield* Effect.flip(count(UserId.make("jim")))
        assert.deepInclude(refused, { _tag: "TooManyAttempts", retryAfterMillis: 1 })
        yield* count(UserId.make("joy"))
        yield* TestClock.setTime(61_000)
        yield* count(UserId.make("jim"))
      })
    )

    it.effect("accepts a recovery code once, even under concurrent use", () =>
      Effect.gen(function* () {
        const codes = yield* RecoveryCodes
        yield* begin(UserId.make("kim"))
        yield* begin(UserId.make("kay"))
        const hash = (of: number) => new Uint8Array(32).fill(of)
        yield* codes.replace(UserId.make("kim"), [hash(1), hash(2), hash(3)])
        assert.deepStrictEqual(yield* codes.spend(UserId.make("kay"), hash(1)), Option.none())
        const spent = yield* atOnce(10, codes.spend(UserId.make("kim"), hash(1)))
        assert.deepStrictEqual(spent.filter(Option.isSome), [Option.some(2)])
        yield* codes.replace(UserId.make("kim"), [hash(4)])
        assert.deepStrictEqual(yield* codes.spend(UserId.make("kim"), hash(2)), Option.none())
        assert.deepStrictEqual(yield* codes.spend(UserId.make("kim"), hash(4)), Option.some(0))
      })
    )

    it.effect("I50: treats factor ids with any characters as unknown", () =>
      Effect.gen(function* () {
        const factors = yield* Factors
        const challenges = yield* FactorChallenges
        const mine = yield* begin(UserId.make("liz"), "\0 \ud800")
        for (const id of ["", "\0", "'; drop table factor", "\ud800", "x".repeat(10_000)]) {
          assert.deepStrictEqual(yield* factors.ofUser(UserId.make(id)), [])
          assert.deepStrictEqual(yield* factors.find(UserId.make("liz"), id), Option.none())
          const foreign = { challengeId: id, factorId: mine, sessionId: "s" }
          assert.strictEqual((yield* Effect.flip(challenges.attempt(foreign)))._tag, "ChallengeExpired")
        }
        assert.lengthOf(yield* factors.ofUser(UserId.make("liz")), 1)
      })
    )
  })

const seal = Seal.layer(Redacted.make("the secret key of these tests, 32+"))

suite(
  "Factors in memory",
  Layer.mergeAll(
    Factors.layerMemory,
    FactorChallenges.layerMemory,
    RecoveryCodes.layerMemory,
    Transaction.layerMemory,
    Users.layerMemory
  )
)

const onPostgres = Layer.mergeAll(
  Factors.layer,
  FactorChallenges.layer,
  RecoveryCodes.layer,
  Transaction.layer,
  Users.layer
).pipe(Layer.provideMerge(postgresLayer), Layer.provide(seal))

suite("Factors on Postgres", onPostgres)

layer(onPostgres, { timeout: "2 minutes" })("a database of factors", (it) => {
  it.effect("I46: stores no secret in plain text", () =>
    Effect.gen(function* () {
      yield* begin(UserId.make("max"))
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly sealed: string }>`
        select encode(sealed_secret, 'escape') as sealed from factor where user_id = 'max'`
      assert.notInclude(row!.sealed, Redacted.value(secret))
    })
  )
})
