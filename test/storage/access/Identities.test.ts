import { primaryAccountOf } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import { Identities } from "@venue/storage/access/Identities"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const seen = { network: "42161", domain: "app.venue.example", statement: "Sign in to Example Venue" }

const suite = (name: string, services: Layer.Layer<Identities | Transaction | Users, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("creates a user with a primary account of the same id for a new wallet address", () =>
      Effect.gen(function* () {
        const identities = yield* Identities
        const users = yield* Users
        yield* TestClock.setTime(5_000)
        const { isNew, userId } = yield* identities.arrive({ address: "0xa1", seen })
        assert.isTrue(isNew)
        assert.isTrue(Option.isSome(yield* users.find(userId)))
        assert.deepStrictEqual(yield* users.ownerOf(primaryAccountOf(userId)), Option.some(userId))
        const [identity] = yield* identities.ofUser(userId)
        assert.deepInclude(identity, {
          subject: "web3:ethereum:0xa1",
          address: "0xa1",
          userId,
          ...seen,
          createdAtMillis: 5_000,
          updatedAtMillis: 5_000,
          lastSignInAtMillis: 5_000
        })
      })
    )

    it.effect("returns the existing user of a known wallet address, and records the last sign-in", () =>
      Effect.gen(function* () {
        const identities = yield* Identities
        yield* TestClock.setTime(1_000)
        const first = yield* identities.arrive({ address: "0xb1", seen })
        yield* TestClock.setTime(2_000)
        const again = yield* identities.arrive({ address: "0xb1", seen: { ...seen, network: "1" } })
        assert.deepStrictEqual(again, { userId: first.userId, isNew: false })
        const rows = yield* identities.ofUser(first.userId)
        assert.strictEqual(rows.length, 1)
        assert.deepInclude(rows[0], { network: "1", createdAtMillis: 1_000, lastSignInAtMillis: 2_000 })
      })
    )

    it.effect("leaves the last sign-in time unchanged when a user only proves ownership of a wallet", () =>
      Effect.gen(function* () {
        const identities = yield* Identities
        yield* TestClock.setTime(1_000)
        const { userId } = yield* identities.arrive({ address: "0xc1", seen: null })
        assert.deepInclude((yield* identities.ofUser(userId))[0], { lastSignInAtMillis: null, network: "" })
        yield* TestClock.setTime(2_000)
        yield* identities.arrive({ address: "0xc1", seen })
        yield* TestClock.setTime(3_000)
        assert.deepStrictEqual(yield* identities.arrive({ address: "0xc1", seen: null }), { userId, isNew: false })
        assert.deepInclude((yield* identities.ofUser(userId))[0], { lastSignInAtMillis: 2_000, network: "42161" })
      })
    )

    it.effect("I41: creates one user for a hundred concurrent first sign-ins of a wallet", () =>
      Effect.gen(function* () {
        const identities = yield* Identities
        const arrivals = yield* Effect.all(
          Array.from({ length: 100 }, () => identities.arrive({ address: "0xd1", seen })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(arrivals.map(({ userId }) => userId)).size, 1)
        assert.strictEqual(arrivals.filter(({ isNew }) => isNew).length, 1)
      })
    )

    it.effect("W18: removes the user and the identity when the sign-in's transaction is rolled back", () =>
      Effect.gen(function* () {
        const identities = yield* Identities
        const users = yield* Users
        const { run } = yield* Transaction
        const userId = yield* Effect.flip(
          run(Effect.flatMap(identities.arrive({ address: "0xe1", seen }), ({ userId }) => Effect.fail(userId)))
        )
        assert.isString(userId)
        assert.isTrue(Option.isNone(yield* users.find(UserId.make(String(userId)))))
        assert.deepStrictEqual(yield* identities.ofUser(UserId.make(String(userId))), [])
        assert.isTrue((yield* identities.arrive({ address: "0xe1", seen })).isNew)
      })
    )

    it.effect("I50: returns no identity for a user id with unusual characters", () =>
      Effect.gen(function* () {
        const identities = yield* Identities
        for (const userId of ["", "\0", "'; drop table identity", "空", "\ud800", "x".repeat(10_000)]) {
          assert.deepStrictEqual(yield* identities.ofUser(UserId.make(userId)), [])
        }
      })
    )
  })

suite(
  "Identities in memory",
  Identities.layerMemory.pipe(
    Layer.provideMerge(Layer.mergeAll(Transaction.layerMemory, Users.layerMemory)),
    Layer.provide(SecureRandom.layerWebCrypto)
  )
)
suite(
  "Identities on Postgres",
  Identities.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Transaction.layer, Users.layer)),
    Layer.provide([SecureRandom.layerWebCrypto, postgresLayer])
  )
)
