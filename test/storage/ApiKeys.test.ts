import { ApiKeys, maxKeys, type NewApiKey } from "@venue/storage/ApiKeys"
import { Seal } from "@venue/storage/Seal"
import { Users } from "@venue/storage/Users"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../Postgres.ts"

const suite = (name: string, keys: Layer.Layer<ApiKeys | Users, unknown>) =>
  layer(keys, { timeout: "30 seconds" })(name, (it) => {
    it.effect("a key is found with its secret, permissions and scope", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user("alice")
        yield* TestClock.setTime(7_000)
        yield* keys.create(key("alice", { permissions: ["view_orders", "execute_orders"], scope: "alice-2" }))
        const found = Option.getOrThrow(yield* keys.find("alice-key"))
        assert.strictEqual(Redacted.value(found.secret), "secret of alice ü")
        assert.deepStrictEqual(
          { ...found, secret: undefined },
          {
            publicKey: "alice-key",
            userId: "alice",
            label: "bot",
            secret: undefined,
            permissions: ["view_orders", "execute_orders"],
            scope: "alice-2",
            createdAtMillis: 7_000,
            revokedAtMillis: null
          }
        )
        assert.deepStrictEqual(yield* keys.find("bob\0"), Option.none())
      })
    )

    it.effect("a key is revoked once, and is still found with the time of it", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user("bob")
        yield* keys.create(key("bob", { permissions: [] }))
        yield* TestClock.setTime(9_000)
        assert.isTrue(yield* keys.revoke("bob-key"))
        yield* TestClock.setTime(10_000)
        assert.isFalse(yield* keys.revoke("bob-key"))
        assert.isFalse(yield* keys.revoke("nobody's"))
        const found = Option.getOrThrow(yield* keys.find("bob-key"))
        assert.deepStrictEqual([found.revokedAtMillis, found.permissions], [9_000, []])
      })
    )

    it.effect("a key name is given once, and to a known user only", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user("carol")
        yield* keys.create(key("carol", {}))
        const again = yield* Effect.flip(keys.create(key("carol", { secret: Redacted.make("another") })))
        const stranger = yield* Effect.flip(keys.create(key("stranger", {})))
        assert.strictEqual(again._tag, "ApiKeyExists")
        assert.strictEqual(stranger._tag, "UnknownUser")
        const found = Option.getOrThrow(yield* keys.find("carol-key"))
        assert.strictEqual(Redacted.value(found.secret), "secret of carol ü")
      })
    )

    it.effect("a user has at most fifty good keys, also when they are made at once", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user("dave")
        const make = (n: number) => Effect.exit(keys.create(key("dave", { publicKey: `dave-${n}` })))
        const made = yield* Effect.forEach(
          Array.from({ length: maxKeys + 5 }, (_, n) => n),
          make,
          { concurrency: 8 }
        )
        assert.strictEqual(made.filter(({ _tag }) => _tag === "Success").length, maxKeys)
        const good = made.findIndex(({ _tag }) => _tag === "Success")
        yield* keys.revoke(`dave-${good}`)
        yield* keys.create(key("dave", { publicKey: "dave-after" }))
      })
    )
  })

const seal = Seal.layer(Redacted.make("a secret key for tests, and for nothing else"))

suite("ApiKeys in memory", Layer.provideMerge(ApiKeys.layerMemory, Users.layerMemory))
suite(
  "ApiKeys on Postgres",
  Layer.mergeAll(ApiKeys.layer, Users.layer).pipe(Layer.provide(seal), Layer.provide(postgresLayer))
)

describe("ApiKeys on Postgres", () => {
  it.effect("I46: no secret is in the database in clear", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const sql = yield* SqlClient.SqlClient
      yield* user("alice")
      yield* keys.create(key("alice", { secret: Redacted.make("canary-5f2e") }))
      const [row] = yield* sql<{ readonly sealed: Uint8Array }>`select sealed_secret as sealed from api_key`
      assert.notInclude(Buffer.from(row!.sealed).toString("latin1"), "canary")
      const [text] = yield* sql<{ readonly text: string }>`select api_key::text as text from api_key`
      assert.notInclude(text!.text, Buffer.from("canary").toString("hex"))
    }).pipe(
      Effect.provide(
        Layer.mergeAll(ApiKeys.layer, Users.layer).pipe(Layer.provide(seal), Layer.provideMerge(postgresLayer))
      )
    )
  )
})

const user = Effect.fnUntraced(function* (userId: string) {
  const users = yield* Users
  yield* users.create({ userId, name: userId })
})

const key = (userId: string, changes: Partial<NewApiKey>): NewApiKey => ({
  publicKey: `${userId}-key`,
  userId,
  label: "bot",
  secret: Redacted.make(`secret of ${userId} ü`),
  permissions: ["view_orders"],
  scope: "all_accounts",
  ...changes
})
