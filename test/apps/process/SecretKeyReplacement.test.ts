/** Tests that the secret key can be replaced by restarting one node after another. */
import * as FixedSettings from "@venue/postgres/FixedSettings"
import { Nodes } from "@venue/storage/nodes/Nodes"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import * as Agreed from "../../../apps/process/Agreed.ts"
import * as Agreement from "../../../apps/process/Agreement.ts"
import * as NodeSettings from "../../../apps/process/NodeSettings.ts"
import * as SecretKeys from "../../../apps/process/SecretKeys.ts"
import { broken } from "../../../apps/process/SettingRefused.ts"
import { freshDatabase } from "../../Postgres.ts"

const old = "0123456789abcdef0123456789abcdef"
const fresh = "fedcba9876543210fedcba9876543210"

const nodeOf = (kind: "runner" | "gateway", secretKey: string) =>
  NodeSettings.load(kind).pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({
        VENUE_DATABASE_URL: "postgres://db/venue",
        VENUE_SECRET_KEY: secretKey,
        ...(kind === "runner" ? { VENUE_CLUSTER_ADDRESS: "10.0.0.3:4100" } : {}),
        VENUE_ADMIN_TOKEN: "token",
        VENUE_AUTH_CLIENT_KEY: "pk_live_1"
      })
    ),
    Effect.provide(NodeServices.layer)
  )

/** Returns the settings for which a node with the second key is refused beside a node with the first. */
const differing = (first: string, second: string) =>
  Effect.gen(function* () {
    const nodes = yield* Nodes
    const join = Effect.fnUntraced(function* (name: string, kind: "runner" | "gateway", secretKey: string) {
      const settings = Agreement.hashesOf(yield* nodeOf(kind, secretKey))
      yield* nodes.join({ nodeId: name, name, kind, address: "", release: "", settings })
    })
    yield* join("runner-1", "runner", first)
    yield* join("gateway-1", "gateway", first)
    const joined = Effect.andThen(join("runner-2", "runner", second), join("gateway-2", "gateway", second))
    return yield* Effect.match(joined, {
      onSuccess: () => [],
      onFailure: (refused) => (refused._tag === "SettingsDiffer" ? refused.names : [refused._tag])
    })
  }).pipe(Effect.provide(Layer.fresh(Nodes.layerMemory)))

const steps = [old, `${old},${fresh}`, `${fresh}, ${old}`, fresh]

it.effect(
  "at every step of a replacement of the secret key, nodes of this step and of the previous one run together",
  () =>
    Effect.gen(function* () {
      for (const [index, next] of steps.entries()) {
        const now = steps[index - 1] ?? next
        assert.deepStrictEqual(yield* differing(now, next), [], `step ${index}`)
        assert.deepStrictEqual(yield* differing(next, now), [], `step ${index}, taken back`)
      }
    })
)

it.effect("refuses a node that skips a step of the replacement", () =>
  Effect.gen(function* () {
    for (const [first, second] of [
      [0, 2],
      [1, 3],
      [0, 3]
    ] as const)
      assert.include(yield* differing(steps[first]!, steps[second]!), "VENUE_SECRET_KEY")
  })
)

it.live("a database accepts the key of its first start alone or beside another, until the mark is replaced", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const start = Effect.fnUntraced(function* (secretKey: string) {
      const keys = SecretKeys.all((yield* nodeOf("runner", secretKey)).keys)
      const tables = FixedSettings.layerShared(Agreed.fixed({ desks: 16 }, ...keys))
      return yield* Layer.build(Layer.provide(Layer.fresh(tables), PgClient.layer({ url }))).pipe(
        Effect.scoped,
        Effect.match({ onSuccess: () => "starts", onFailure: ({ _tag }) => _tag })
      )
    })
    for (const key of steps.slice(0, 3)) assert.strictEqual(yield* start(key), "starts")
    assert.strictEqual(yield* start(fresh), "SettingChanged")
    const mark = Agreed.markOf(Redacted.make(fresh))
    const replace = FixedSettings.replace(Agreed.secretKeyMark, mark).pipe(Effect.provide(PgClient.layer({ url })))
    assert.deepStrictEqual([yield* replace, yield* replace], [true, false])
    for (const key of steps.slice(1)) assert.strictEqual(yield* start(key), "starts")
    assert.strictEqual(yield* start(old), "SettingChanged")
  }).pipe(Effect.scoped)
)

it("reads two keys only if both are long enough, and refuses two equal keys", () => {
  const read = (text: string) => SecretKeys.all(SecretKeys.of(Redacted.make(text))).map((key) => Redacted.value(key))
  const faultOf = (text: string) => broken(SecretKeys.rulesOf(SecretKeys.of(Redacted.make(text))))[0]?.message
  assert.deepStrictEqual(read(`${old},${fresh}`), [old, fresh])
  const withComma = `${old},short`
  assert.deepStrictEqual(read(withComma), [withComma])
  assert.isUndefined(faultOf(`${old},${fresh}`))
  assert.include(faultOf(`${old},${old}`) ?? "", "two different keys")
  assert.include(faultOf("short,short") ?? "", "at least 32 characters")
})
