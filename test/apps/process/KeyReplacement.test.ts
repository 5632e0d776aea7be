/** Tests that keys and agreements can be replaced on one gateway after another while all gateways are in use. */
import { BuilderRegistration } from "@venue/auth/wallet/BuilderRegistration"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import * as AccessTables from "@venue/storage/access/AccessTables"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import { Nodes } from "@venue/storage/nodes/Nodes"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Access from "../../../apps/process/Access.ts"
import * as Agreement from "../../../apps/process/Agreement.ts"
import * as NodeSettings from "../../../apps/process/NodeSettings.ts"
import { scene } from "../../auth/wallet/BuilderScene.ts"

const secretKey = "0123456789abcdef0123456789abcdef"
const names = ["VENUE_AUTH_CLIENT_KEY", "VENUE_BUILDER_KEY", "VENUE_CLIENT_AGREEMENT_URL"] as const
type Replaced = Readonly<Record<(typeof names)[number], string>>

/** `VENUE_SECRET_KEY` authenticates messages as long as no builder key is set. */
const before: Replaced = {
  VENUE_AUTH_CLIENT_KEY: "pk_live_before",
  VENUE_BUILDER_KEY: secretKey,
  VENUE_CLIENT_AGREEMENT_URL: "https://venue.test/agreement/1"
}
const after: Replaced = {
  VENUE_AUTH_CLIENT_KEY: "pk_live_after",
  VENUE_BUILDER_KEY: "fedcba9876543210fedcba9876543210",
  VENUE_CLIENT_AGREEMENT_URL: "https://venue.test/agreement/2"
}
const both = (first: Replaced, second: Replaced) =>
  Object.fromEntries(names.map((name) => [name, `${first[name]}, ${second[name]}`])) as Replaced

const { VENUE_BUILDER_KEY: _key, ...usual } = before
const [accepted, used] = [both(before, after), both(after, before)]

const gatewayOf = (variables: Partial<Replaced>) =>
  NodeSettings.load("gateway").pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({
        VENUE_DATABASE_URL: "postgres://db/venue",
        VENUE_SECRET_KEY: secretKey,
        VENUE_ADMIN_TOKEN: "token",
        ...variables
      })
    ),
    Effect.provide(NodeServices.layer)
  )
type Gateway = Effect.Success<ReturnType<typeof gatewayOf>>

/** Returns whether the gateway `second` is allowed to run together with `first`. */
const joins = (first: Gateway, second: Gateway) =>
  Effect.gen(function* () {
    const nodes = yield* Nodes
    const join = (name: string, gateway: Gateway) => {
      const settings = Agreement.hashesOf(gateway)
      return nodes.join({ nodeId: name, name, kind: "gateway", address: "", release: "", settings })
    }
    yield* join("gateway-1", first)
    return yield* Effect.match(join("gateway-2", second), {
      onSuccess: () => [],
      onFailure: (refused) => (refused._tag === "SettingsDiffer" ? refused.names : [refused._tag])
    })
  }).pipe(Effect.provide(Layer.fresh(Nodes.layerMemory)))

const at = <A, E>(gateway: Gateway, work: Effect.Effect<A, E, BuilderRegistration>) =>
  Effect.flatMap(Access.layer(gateway, ...gateway.keys), (access) =>
    Effect.provide(work, Layer.provide(access, RunningSettings.layerMemory({ given: {} })))
  )

/** `writer` creates the message that a wallet signs, and `reader` verifies it. */
const registers = Effect.fnUntraced(function* (writer: Gateway, reader: Gateway) {
  const { builder, owner } = yield* scene
  const message = yield* at(
    writer,
    Effect.flatMap(BuilderRegistration, (service) => service.message(owner.address, builder.builderCode))
  )
  const signed = { message, signature: owner.sign(message) }
  return yield* at(
    reader,
    Effect.flatMap(BuilderRegistration, (service) =>
      Effect.match(service.register(builder, signed), { onSuccess: () => "done", onFailure: ({ _tag }) => _tag })
    )
  )
})

const tables = AccessTables.layerMemory.pipe(
  Layer.provideMerge(Layer.merge(SecureRandom.layerWebCrypto, SigningKeys.layerMemory))
)

it.effect("at every step of a key replacement, a gateway accepts messages that other gateways issued", () =>
  Effect.gen(function* () {
    const steps = yield* Effect.forEach([usual, accepted, used, after], gatewayOf)
    for (const [index, next] of steps.entries()) {
      const now = steps[index - 1] ?? next
      assert.deepStrictEqual(yield* joins(now, next), [], `step ${index}`)
      assert.deepStrictEqual(yield* joins(next, now), [], `step ${index}, taken back`)
      assert.strictEqual(yield* registers(now, next), "done", `step ${index}`)
      assert.strictEqual(yield* registers(next, now), "done", `step ${index}`)
      const [keys, others] = [now, next].map((gateway) => gateway.authClientKeys.map(Redacted.value))
      assert.include(keys!, others![0])
      assert.include(others!, keys![0])
    }
  }).pipe(Effect.provide(tables))
)

it.effect("refuses to start a gateway that skips a step of a key replacement", () =>
  Effect.gen(function* () {
    for (const [firstKeys, secondKeys] of [
      [usual, used],
      [accepted, after],
      [usual, after]
    ] as const) {
      const [first, second] = [yield* gatewayOf(firstKeys), yield* gatewayOf(secondKeys)]
      assert.deepStrictEqual(yield* joins(first, second), names)
      const outcomes = [yield* registers(first, second), yield* registers(second, first)]
      assert.notDeepEqual(outcomes, ["done", "done"])
    }
  }).pipe(Effect.provide(tables))
)
