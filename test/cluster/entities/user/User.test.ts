/** Tests of a user's entity and of repeated messages. */
import { UserLayer } from "@venue/cluster/entities/user/User"
import { User } from "@venue/cluster/protocol/User"
import { UserId } from "@venue/domain/UserId"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Audit } from "@venue/storage/access/Audit"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Revocations } from "@venue/storage/access/Revocations"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { Entity, ShardingConfig } from "effect/cluster"

const storage = Layer.mergeAll(ApiKeys.layerMemory, Audit.layerMemory, Transaction.layerMemory).pipe(
  Layer.provideMerge(Layer.mergeAll(Users.layerMemory, Revocations.layerMemory))
)

const test = <E>(
  name: string,
  run: (
    user: Effect.Success<ReturnType<Effect.Success<typeof client>>>
  ) => Effect.Effect<void, E, Layer.Success<typeof storage>>,
  layer: Layer.Layer<Layer.Success<typeof storage>> = storage
) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      yield* (yield* Users).create({ userId: UserId.make("alice"), name: "Alice" })
      yield* Effect.scoped(
        Effect.flatMap(
          Effect.flatMap(client, (make) => make("alice")),
          run
        )
      )
    }).pipe(Effect.provide(Layer.merge(layer, ShardingConfig.layer())))
  )

const client = Entity.makeTestClient(User, UserLayer)

const pair = (name: string) => ({ publicKey: name, secret: Redacted.make(`secret of ${name}`) })
const key = {
  userId: UserId.make("alice"),
  label: "bot",
  permissions: ["view_orders"],
  scope: "all_accounts",
  allowedAddresses: []
}

const deeds = Effect.flatMap(Audit, (audit) =>
  Effect.map(audit.about("alice"), (all) => all.map(({ action }) => action).toReversed())
)
const found = (publicKey: string) =>
  Effect.flatMap(ApiKeys, (keys) => Effect.map(keys.find(publicKey), Option.getOrThrow))

test("creates one key for a request that is sent twice, and returns the same secret both times", (user) =>
  Effect.gen(function* () {
    const first = yield* user.CreateKey({ ...key, pair: pair("k1") })
    const again = yield* user.CreateKey({ ...key, pair: { ...pair("k1"), secret: Redacted.make("another") } })
    assert.deepStrictEqual({ ...again }, { ...first })
    assert.strictEqual(Redacted.value((yield* found("k1")).secret), "secret of k1")
    assert.deepStrictEqual(yield* deeds, ["api_key_created"])
  }))

test("creates one key for a repeated rotation", (user) =>
  Effect.gen(function* () {
    yield* user.CreateKey({ ...key, pair: pair("k1") })
    const rotate = user.RotateKey({ userId: UserId.make("alice"), publicKey: "k1", next: pair("k2") })
    assert.deepStrictEqual({ ...(yield* rotate) }, { ...(yield* rotate) })
    assert.strictEqual((yield* (yield* ApiKeys).ofUser(UserId.make("alice"))).length, 1)
    assert.isNotNull((yield* found("k1")).revokedAtMillis)
    assert.deepStrictEqual(yield* deeds, ["api_key_created", "api_key_rotated"])
  }))

test("executes a repeated revocation once, with a single audit entry", (user) =>
  Effect.gen(function* () {
    yield* user.CreateKey({ ...key, pair: pair("k1") })
    yield* user.RevokeKey({ userId: UserId.make("alice"), publicKey: "k1" })
    yield* user.RevokeKey({ userId: UserId.make("alice"), publicKey: "k1" })
    assert.deepStrictEqual(yield* deeds, ["api_key_created", "api_key_revoked"])
  }))

test("a refused request leaves state and audit unchanged", (user) =>
  Effect.gen(function* () {
    const unknown = { userId: UserId.make("alice"), publicKey: "nobody's" }
    for (const asked of [
      user.RenameKey({ ...unknown, label: "x" }),
      user.RevokeKey(unknown),
      user.RotateKey({ ...unknown, next: pair("k3") })
    ]) {
      assert.strictEqual(
        (yield* Effect.flip(Effect.asVoid(asked as Effect.Effect<unknown, { _tag: string }>)))._tag,
        "UnknownApiKey"
      )
    }
    assert.deepStrictEqual(yield* (yield* ApiKeys).ofUser(UserId.make("alice")), [])
    assert.deepStrictEqual(yield* deeds, [])
  }))

test(
  "rolls back a change whose audit entry fails, and returns Unavailable",
  (user) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(user.CreateKey({ ...key, pair: pair("k1") }))
      assert.strictEqual(refused._tag, "Unavailable")
      assert.deepStrictEqual(yield* (yield* ApiKeys).find("k1"), Option.none())
    }),
  Layer.provideMerge(
    Layer.mock(Audit, { record: () => Effect.fail(new DatabaseUnavailable({ cause: "a test" })) }),
    storage
  )
)
