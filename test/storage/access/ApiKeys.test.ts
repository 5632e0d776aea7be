import { maxApiKeys } from "@venue/domain/ApiKey"
import { builderKeyPermissions } from "@venue/domain/Permission"
import { UserId } from "@venue/domain/UserId"
import { ApiKeys, type NewApiKey } from "@venue/storage/access/ApiKeys"
import { type Revocation, Revocations } from "@venue/storage/access/Revocations"
import { Seal } from "@venue/postgres/Seal"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

/** Announced revocations in order, including uncommitted ones. */
const announced: Array<string> = []
const recording = Layer.mock(Revocations)({
  announce: ({ kind, subject }: Revocation) => Effect.sync(() => void announced.push(`${kind} ${subject}`)),
  watch: () => Effect.void,
  delayMillis: () => 0
})

const suite = (name: string, keys: Layer.Layer<ApiKeys | Transaction | Users, unknown>) =>
  layer(keys, { timeout: "2 minutes" })(name, (it) => {
    it.effect("returns a key with its secret, permissions, scope and allow-list", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user(UserId.make("alice"))
        yield* TestClock.setTime(7_000)
        const allowedAddresses = ["10.0.0.0/8", "::1"]
        yield* keys.create(
          key(UserId.make("alice"), {
            permissions: ["view_orders", "execute_orders"],
            scope: "alice-2",
            allowedAddresses
          })
        )
        const stored = Option.getOrThrow(yield* keys.find("alice-key"))
        assert.strictEqual(Redacted.value(stored.secret), "secret of alice ü")
        assert.deepStrictEqual(
          { ...stored, secret: undefined },
          {
            publicKey: "alice-key",
            userId: "alice",
            label: "bot",
            secret: undefined,
            permissions: ["view_orders", "execute_orders"],
            scope: "alice-2",
            allowedAddresses,
            builderUserId: null,
            createdAtMillis: 7_000,
            lastUsedAtMillis: null,
            lastFailedAtMillis: null,
            revokedAtMillis: null
          }
        )
        assert.deepStrictEqual(yield* keys.find("bob\0"), Option.none())
      })
    )

    it.effect("revokes a key once, announces it, and returns it with the time of revocation", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user(UserId.make("bob"))
        yield* user(UserId.make("thief"))
        yield* keys.create(key(UserId.make("bob"), { permissions: [] }))
        yield* TestClock.setTime(9_000)
        for (const [userId, publicKey] of [
          ["thief", "bob-key"],
          ["bob", "nobody's"]
        ] as const) {
          assert.strictEqual((yield* Effect.flip(keys.revoke(UserId.make(userId), publicKey)))._tag, "UnknownApiKey")
        }
        announced.splice(0)
        assert.isTrue(yield* keys.revoke(UserId.make("bob"), "bob-key"))
        yield* TestClock.setTime(10_000)
        assert.isFalse(yield* keys.revoke(UserId.make("bob"), "bob-key"))
        assert.deepStrictEqual(announced, ["key bob-key"])
        const stored = Option.getOrThrow(yield* keys.find("bob-key"))
        assert.deepStrictEqual([stored.revokedAtMillis, stored.permissions], [9_000, []])
        assert.deepStrictEqual(yield* keys.ofUser(UserId.make("bob")), [])
      })
    )

    it.effect("rejects a public key that already exists, and a user who does not exist", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user(UserId.make("carol"))
        yield* keys.create(key(UserId.make("carol"), {}))
        const again = yield* Effect.flip(keys.create(key(UserId.make("carol"), { secret: Redacted.make("another") })))
        const stranger = yield* Effect.flip(keys.create(key(UserId.make("stranger"), {})))
        assert.strictEqual(again._tag, "ApiKeyExists")
        assert.strictEqual(stranger._tag, "UnknownUser")
        const stored = Option.getOrThrow(yield* keys.find("carol-key"))
        assert.strictEqual(Redacted.value(stored.secret), "secret of carol ü")
      })
    )

    it.effect("limits a user to fifty valid keys that the user created, even under concurrent requests", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user(UserId.make("dave"))
        yield* user(UserId.make("builder-of-dave"))
        yield* keys.replaceBuilderKey(builderKey(UserId.make("dave"), UserId.make("builder-of-dave"), "dave-builder"))
        const make = (n: number) => Effect.exit(keys.create(key(UserId.make("dave"), { publicKey: `dave-${n}` })))
        const made = yield* Effect.forEach(
          Array.from({ length: maxApiKeys + 5 }, (_, n) => n),
          make,
          { concurrency: 8 }
        )
        assert.strictEqual(made.filter(({ _tag }) => _tag === "Success").length, maxApiKeys)
        const good = made.findIndex(({ _tag }) => _tag === "Success")
        yield* keys.revoke(UserId.make("dave"), `dave-${good}`)
        yield* keys.create(key(UserId.make("dave"), { publicKey: "dave-after" }))
      })
    )

    it.effect("lists keys in order of creation, without secrets and without builders' keys", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user(UserId.make("erin"))
        yield* user(UserId.make("builder-of-erin"))
        yield* TestClock.setTime(1_000)
        yield* keys.create(key(UserId.make("erin"), { publicKey: "erin-2", label: "second by name" }))
        yield* TestClock.setTime(2_000)
        yield* keys.create(key(UserId.make("erin"), { publicKey: "erin-1" }))
        yield* keys.create(key(UserId.make("erin"), { publicKey: "erin-managed", label: "managed by us" }))
        yield* keys.replaceBuilderKey(builderKey(UserId.make("erin"), UserId.make("builder-of-erin"), "erin-builder"))
        const listed = yield* keys.ofUser(UserId.make("erin"))
        assert.deepStrictEqual(
          listed.map(({ publicKey }) => publicKey),
          ["erin-2", "erin-1"]
        )
        assert.deepStrictEqual(listed[0], {
          publicKey: "erin-2",
          label: "second by name",
          permissions: ["view_orders"],
          scope: "all_accounts",
          allowedAddresses: [],
          createdAtMillis: 1_000,
          lastUsedAtMillis: null,
          lastFailedAtMillis: null
        })
      })
    )

    it.effect("renames a key for its owner, and rejects renaming a builder's key", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user(UserId.make("fay"))
        yield* user(UserId.make("builder-of-fay"))
        yield* keys.create(key(UserId.make("fay"), {}))
        yield* keys.replaceBuilderKey(builderKey(UserId.make("fay"), UserId.make("builder-of-fay"), "fay-builder"))
        yield* keys.rename(UserId.make("fay"), "fay-key", "renamed")
        for (const [userId, publicKey] of [
          ["builder-of-fay", "fay-key"],
          ["fay", "fay-builder"],
          ["fay", "nothing"]
        ] as const) {
          assert.strictEqual(
            (yield* Effect.flip(keys.rename(UserId.make(userId), publicKey, "mine")))._tag,
            "UnknownApiKey"
          )
        }
        assert.strictEqual(Option.getOrThrow(yield* keys.find("fay-key")).label, "renamed")
        assert.strictEqual(Option.getOrThrow(yield* keys.find("fay-builder")).label, "builder-test")
      })
    )

    it.effect("rotates a key once: the new pair has the same permissions, and the old key is revoked", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user(UserId.make("gus"))
        yield* keys.create(key(UserId.make("gus"), { label: "desk", scope: "gus", allowedAddresses: ["::1"] }))
        announced.splice(0)
        const made = yield* keys.rotate(UserId.make("gus"), "gus-key", {
          publicKey: "gus-next",
          secret: Redacted.make("another")
        })
        assert.deepInclude(made, { publicKey: "gus-next", label: "desk", scope: "gus", allowedAddresses: ["::1"] })
        assert.deepStrictEqual(announced, ["key gus-key"])
        assert.isNotNull(Option.getOrThrow(yield* keys.find("gus-key")).revokedAtMillis)
        assert.strictEqual(Redacted.value(Option.getOrThrow(yield* keys.find("gus-next")).secret), "another")
        const other = { publicKey: "gus-other", secret: Redacted.make("third") }
        assert.strictEqual(
          (yield* Effect.flip(keys.rotate(UserId.make("gus"), "gus-key", other)))._tag,
          "UnknownApiKey"
        )
        assert.deepStrictEqual(yield* keys.find("gus-other"), Option.none())
      })
    )

    it.effect(
      "I40: keeps one key per user and builder under concurrent replacements, and leaves other builders' keys unchanged",
      () =>
        Effect.gen(function* () {
          const keys = yield* ApiKeys
          yield* user(UserId.make("hal"))
          yield* user(UserId.make("builder-1"))
          yield* user(UserId.make("builder-2"))
          yield* keys.replaceBuilderKey(builderKey(UserId.make("hal"), UserId.make("builder-2"), "hal-other"))
          announced.splice(0)
          const names = Array.from({ length: 6 }, (_, n) => `hal-${n}`)
          const replaced = yield* Effect.forEach(
            names,
            (name) => keys.replaceBuilderKey(builderKey(UserId.make("hal"), UserId.make("builder-1"), name)),
            { concurrency: "unbounded" }
          )
          assert.sameMembers(
            replaced.flatMap(Option.toArray).map((name) => `key ${name}`),
            announced
          )
          assert.lengthOf(announced, names.length - 1)
          const stored = yield* Effect.forEach([...names, "hal-other"], (name) => keys.find(name))
          const good = stored.flatMap(Option.toArray)
          assert.deepStrictEqual(
            good.map(({ builderUserId }) => builderUserId),
            ["builder-1", "builder-2"]
          )
          const [{ permissions, scope }] = good as [(typeof good)[0]]
          assert.deepStrictEqual([permissions, scope], [builderKeyPermissions, "hal"])
        })
    )

    it.effect("I40: keeps the previous key if the transaction that replaces it fails", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const transaction = yield* Transaction
        yield* user(UserId.make("ida"))
        yield* user(UserId.make("builder-of-ida"))
        const replaced = yield* keys.replaceBuilderKey(
          builderKey(UserId.make("ida"), UserId.make("builder-of-ida"), "ida-1")
        )
        assert.deepStrictEqual(replaced, Option.none())
        const replace = keys.replaceBuilderKey(builderKey(UserId.make("ida"), UserId.make("builder-of-ida"), "ida-2"))
        yield* Effect.flip(transaction.run(Effect.andThen(replace, Effect.fail("later step"))))
        assert.isTrue(Option.isSome(yield* keys.find("ida-1")))
        assert.deepStrictEqual(yield* keys.find("ida-2"), Option.none())
      })
    )

    it.effect("changes one permission of a key and announces the change once; the key stays valid", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user(UserId.make("lea"))
        yield* keys.create(key(UserId.make("lea"), { permissions: ["view_orders", "execute_orders"] }))
        const permitted = Effect.map(keys.find("lea-key"), (stored) => {
          const { permissions, revokedAtMillis } = Option.getOrThrow(stored)
          return [...permissions, revokedAtMillis]
        })
        announced.splice(0)
        assert.strictEqual(yield* keys.setPermission("lea-key", "register_user", true), "lea")
        assert.strictEqual(yield* keys.setPermission("lea-key", "register_user", true), "lea")
        assert.deepStrictEqual(yield* permitted, ["view_orders", "execute_orders", "register_user", null])
        assert.deepStrictEqual(announced, ["key lea-key"])
        yield* keys.setPermission("lea-key", "view_orders", false)
        yield* keys.setPermission("lea-key", "view_orders", false)
        assert.deepStrictEqual(yield* permitted, ["execute_orders", "register_user", null])
        assert.deepStrictEqual(announced, ["key lea-key", "key lea-key"])
      })
    )

    it.effect("rejects changing the permissions of a revoked or unknown key", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user(UserId.make("mia"))
        yield* keys.create(key(UserId.make("mia"), {}))
        yield* keys.revoke(UserId.make("mia"), "mia-key")
        announced.splice(0)
        for (const publicKey of ["mia-key", "nobody's", "\0"]) {
          const refused = yield* Effect.flip(keys.setPermission(publicKey, "register_user", true))
          assert.strictEqual(refused._tag, "UnknownApiKey")
        }
        assert.deepStrictEqual(Option.getOrThrow(yield* keys.find("mia-key")).permissions, ["view_orders"])
        assert.deepStrictEqual(announced, [])
      })
    )

    it.effect("keeps all permissions that are granted to a key concurrently", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user(UserId.make("ned"))
        yield* keys.create(key(UserId.make("ned"), { permissions: [] }))
        const given = ["register_user", "view_orders", "view_balance", "execute_orders"] as const
        yield* Effect.forEach(given, (name) => keys.setPermission("ned-key", name, true), { concurrency: "unbounded" })
        assert.sameMembers([...Option.getOrThrow(yield* keys.find("ned-key")).permissions], [...given])
      })
    )

    it.effect("issues a builder's key again after the user has revoked it", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user(UserId.make("jan"))
        yield* user(UserId.make("builder-of-jan"))
        yield* keys.replaceBuilderKey(builderKey(UserId.make("jan"), UserId.make("builder-of-jan"), "jan-1"))
        yield* keys.revoke(UserId.make("jan"), "jan-1")
        yield* keys.replaceBuilderKey(builderKey(UserId.make("jan"), UserId.make("builder-of-jan"), "jan-2"))
        assert.isNull(Option.getOrThrow(yield* keys.find("jan-2")).revokedAtMillis)
      })
    )

    it.effect("keeps a key's latest use and latest failure, in whatever order nodes report them", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* user(UserId.make("kim"))
        yield* keys.create(key(UserId.make("kim"), {}))
        const note = (lastUsedAtMillis: number | null, lastFailedAtMillis: number | null) =>
          keys.noteUses([
            { publicKey: "kim-gone", lastUsedAtMillis: 1, lastFailedAtMillis: null },
            { publicKey: "kim-key", lastUsedAtMillis, lastFailedAtMillis }
          ])
        const told = Effect.map(keys.ofUser(UserId.make("kim")), ([kim]) => [
          kim!.lastUsedAtMillis,
          kim!.lastFailedAtMillis
        ])
        yield* note(5_000, null)
        assert.deepStrictEqual(yield* told, [5_000, null])
        yield* note(4_000, 3_001)
        assert.deepStrictEqual(yield* told, [5_000, 3_001])
        yield* Effect.all([note(null, 3_500), note(6_000, null)], { concurrency: 2 })
        assert.deepStrictEqual(yield* told, [6_000, 3_500])
      })
    )
  })

const seal = Seal.layer(Redacted.make("a secret key for tests, and for nothing else"))

suite(
  "ApiKeys in memory",
  Layer.merge(ApiKeys.layerMemory, Transaction.layerMemory).pipe(
    Layer.provideMerge(Users.layerMemory),
    Layer.provide(recording)
  )
)
const onPostgres = Layer.merge(ApiKeys.layer, Transaction.layer).pipe(
  Layer.provideMerge(Users.layer),
  Layer.provide([seal, recording])
)
suite("ApiKeys on Postgres", Layer.provide(onPostgres, postgresLayer))

describe("ApiKeys on Postgres", () => {
  it.effect("I46: stores no secret in plain text", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const sql = yield* SqlClient.SqlClient
      yield* user(UserId.make("alice"))
      yield* keys.create(key(UserId.make("alice"), { secret: Redacted.make("canary-5f2e") }))
      const [row] = yield* sql<{ readonly sealed: Uint8Array }>`select sealed_secret as sealed from api_key`
      assert.notInclude(Buffer.from(row!.sealed).toString("latin1"), "canary")
      const [text] = yield* sql<{ readonly text: string }>`select api_key::text as text from api_key`
      assert.notInclude(text!.text, Buffer.from("canary").toString("hex"))
    }).pipe(Effect.provide(Layer.provideMerge(onPostgres, postgresLayer)))
  )
})

const user = Effect.fnUntraced(function* (userId: UserId) {
  const users = yield* Users
  yield* users.create({ userId, name: userId })
})

const key = (userId: UserId, changes: Partial<NewApiKey>): NewApiKey => ({
  publicKey: `${userId}-key`,
  userId,
  label: "bot",
  secret: Redacted.make(`secret of ${userId} ü`),
  permissions: ["view_orders"],
  scope: "all_accounts",
  ...changes
})

const builderKey = (userId: UserId, builderUserId: UserId, publicKey: string) => ({
  publicKey,
  secret: Redacted.make(`secret of ${publicKey}`),
  userId,
  label: "builder-test",
  builderUserId
})
