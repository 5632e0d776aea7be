import { UserId } from "@venue/domain/UserId"
import { Factors } from "@venue/storage/access/Factors"
import { type Revocation, Revocations } from "@venue/storage/access/Revocations"
import { Seal } from "@venue/postgres/Seal"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { UserStates } from "@venue/storage/access/UserStates"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Option, Redacted } from "effect"
import { postgresLayer } from "../../Postgres.ts"

const suite = (
  name: string,
  services: Layer.Layer<Factors | Revocations | Transaction | Users | UserStates, unknown>
) =>
  layer(services, { excludeTestServices: true, timeout: "2 minutes" })(name, (it) => {
    const user = (userId: UserId) => Effect.andThen(Users, (users) => users.create({ userId, name: userId }))

    it.effect(
      "returns the initial state of a user without onboarding steps, and `exists: false` for an unknown user",
      () =>
        Effect.gen(function* () {
          const states = yield* UserStates
          yield* user(UserId.make("new"))
          const nothing = {
            exists: true,
            frozen: false,
            identity: "none" as const,
            termsVersion: null,
            country: null,
            seenIn: null,
            hasSecondFactor: false
          }
          assert.deepStrictEqual(yield* states.find(UserId.make("new")), nothing)
          for (const id of ["nobody", "", "\0", "\ud800"]) {
            assert.deepStrictEqual(yield* states.find(UserId.make(id)), { ...nothing, exists: false })
          }
        })
    )

    it.effect("returns pages of the frozen users, ordered by id", () =>
      Effect.gen(function* () {
        const states = yield* UserStates
        for (const id of ["frost-2", "frost-1", "frost-3"]) {
          yield* user(UserId.make(id))
          yield* states.freeze(UserId.make(id))
        }
        yield* states.unfreeze(UserId.make("frost-3"))
        const frozen = (yield* states.frozen({ limit: 100, offset: 0 })).filter((id) => id.startsWith("frost"))
        assert.deepStrictEqual(frozen, ["frost-1", "frost-2"])
        const count = yield* states.countFrozen
        assert.lengthOf(yield* states.frozen({ limit: 100, offset: count - 1 }), 1)
      })
    )

    it.effect("keeps each change to a user's state, and leaves other fields unchanged", () =>
      Effect.gen(function* () {
        const states = yield* UserStates
        yield* user(UserId.make("amy"))
        yield* states.setIdentity(UserId.make("amy"), "verified", "NO")
        yield* states.acceptTerms(UserId.make("amy"), "2026-01")
        yield* states.setRegion(UserId.make("amy"), "SE")
        yield* states.freeze(UserId.make("amy"))
        assert.deepInclude(yield* states.find(UserId.make("amy")), {
          frozen: true,
          identity: "verified",
          termsVersion: "2026-01",
          country: "NO",
          seenIn: "SE"
        })
        yield* states.unfreeze(UserId.make("amy"))
        yield* states.setIdentity(UserId.make("amy"), "refused")
        assert.deepInclude(yield* states.find(UserId.make("amy")), {
          frozen: false,
          identity: "refused",
          country: "NO"
        })
      })
    )

    it.effect("rejects changes to an unknown user", () =>
      Effect.gen(function* () {
        const states = yield* UserStates
        const refused = yield* Effect.flip(states.freeze(UserId.make("ghost")))
        assert.strictEqual(refused._tag, "UnknownUser")
        assert.isFalse((yield* states.find(UserId.make("ghost"))).frozen)
      })
    )

    it.effect("announces a change to a user's state, and rolls back the announcement with its transaction", () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { run } = yield* Transaction
          const states = yield* UserStates
          const announced = yield* Deferred.make<Revocation["kind"]>()
          yield* (yield* Revocations).watch(({ kind, subject }) => {
            if (subject === "ben") Deferred.doneUnsafe(announced, Effect.succeed(kind))
          })
          yield* user(UserId.make("ben"))
          yield* states.acceptTerms(UserId.make("ben"), "2026-01")
          assert.strictEqual(yield* Deferred.await(announced), "user")
          yield* Effect.ignore(run(Effect.andThen(states.freeze(UserId.make("ben")), Effect.fail("undone"))))
          assert.isFalse((yield* states.find(UserId.make("ben"))).frozen)
        })
      )
    )

    it.effect("reports a second factor only after the factor is verified", () =>
      Effect.gen(function* () {
        const factors = yield* Factors
        const states = yield* UserStates
        yield* user(UserId.make("cat"))
        yield* factors.add({
          factorId: "f1",
          userId: UserId.make("cat"),
          friendlyName: "",
          secret: Redacted.make("secret")
        })
        assert.isFalse((yield* states.find(UserId.make("cat"))).hasSecondFactor)
        yield* factors.accept("f1", 1)
        assert.isTrue((yield* states.find(UserId.make("cat"))).hasSecondFactor)
      })
    )

    it.effect(
      "applies a verdict to the current identity verification only, and ignores a late verdict about an older one",
      () =>
        Effect.gen(function* () {
          const states = yield* UserStates
          yield* user(UserId.make("dan"))
          yield* states.beginVerification(UserId.make("dan"), "r1")
          assert.strictEqual((yield* states.find(UserId.make("dan"))).identity, "pending")
          const verdict = { reference: "r1", identity: "verified", country: "NO", changedAtMillis: 2_000 } as const
          assert.deepStrictEqual(yield* states.judge(verdict), Option.some("dan"))
          assert.deepStrictEqual(yield* states.judge(verdict), Option.none())
          const late = { ...verdict, identity: "refused", country: "SE", changedAtMillis: 1_999 } as const
          assert.deepStrictEqual(yield* states.judge(late), Option.none())
          assert.deepInclude(yield* states.find(UserId.make("dan")), { identity: "verified", country: "NO" })
          assert.deepStrictEqual(
            yield* states.judge({ ...verdict, identity: "refused", changedAtMillis: 2_001 }),
            Option.some("dan")
          )
          assert.strictEqual((yield* states.find(UserId.make("dan"))).identity, "refused")
        })
    )

    it.effect("rejects a verdict about a replaced or unknown verification", () =>
      Effect.gen(function* () {
        const states = yield* UserStates
        yield* user(UserId.make("eve"))
        yield* states.beginVerification(UserId.make("eve"), "first")
        yield* states.beginVerification(UserId.make("eve"), "second")
        for (const reference of ["first", "never", "", "\0"]) {
          const verdict = { reference, identity: "verified", country: null, changedAtMillis: 1 } as const
          assert.strictEqual((yield* Effect.flip(states.judge(verdict)))._tag, "UnknownVerification")
        }
        assert.strictEqual((yield* states.find(UserId.make("eve"))).identity, "pending")
      })
    )

    it.effect("rejects a new verification of a verified user", () =>
      Effect.gen(function* () {
        const states = yield* UserStates
        yield* user(UserId.make("fay"))
        yield* states.setIdentity(UserId.make("fay"), "verified")
        assert.strictEqual(
          (yield* Effect.flip(states.beginVerification(UserId.make("fay"), "r2")))._tag,
          "AlreadyVerified"
        )
        assert.strictEqual((yield* states.find(UserId.make("fay"))).identity, "verified")
      })
    )

    it.effect("applies concurrent verdicts one after the other, and keeps the newest verdict", () =>
      Effect.gen(function* () {
        const states = yield* UserStates
        yield* user(UserId.make("gil"))
        yield* states.beginVerification(UserId.make("gil"), "race")
        yield* Effect.forEach(
          [5, 9, 1, 7, 3, 8, 2, 6, 4],
          (changedAtMillis) =>
            states.judge({
              reference: "race",
              identity: changedAtMillis === 9 ? "verified" : "refused",
              country: `A${changedAtMillis}`,
              changedAtMillis
            }),
          { concurrency: "unbounded" }
        )
        assert.deepInclude(yield* states.find(UserId.make("gil")), { identity: "verified", country: "A9" })
      })
    )
  })

suite(
  "user states in memory",
  UserStates.layerMemory.pipe(
    Layer.provideMerge(
      Layer.mergeAll(Factors.layerMemory, Revocations.layerMemory, Transaction.layerMemory, Users.layerMemory)
    )
  )
)
suite(
  "user states on Postgres",
  UserStates.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Factors.layer, Revocations.layer, Transaction.layer, Users.layer)),
    Layer.provide(Seal.layer(Redacted.make("0123456789abcdef0123456789abcdef"))),
    Layer.provide(postgresLayer)
  )
)
