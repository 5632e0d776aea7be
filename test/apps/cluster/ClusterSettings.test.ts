/** The settings of a cluster: what makes one impossible is refused by name, before anything is started. */
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ClusterSettings from "../../../apps/cluster/ClusterSettings.ts"

const planned = (variables: Readonly<Record<string, string>>) =>
  Effect.flatMap(ClusterSettings.load, (settings) =>
    Effect.map(ClusterSettings.planOf(settings), (plan) => ({ settings, ...plan }))
  ).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables)),
    Effect.provide(NodeServices.layer)
  )

it.effect("without any setting a cluster is three runners and two gateways", () =>
  Effect.gen(function* () {
    const { gateways, runners } = yield* planned({})
    assert.deepStrictEqual([runners.length, gateways.length], [3, 2])
  })
)

it.effect("what makes a cluster impossible is refused by the name of its setting", () =>
  Effect.gen(function* () {
    for (const [variables, said] of [
      [{ VENUE_CLUSTER_RUNNERS: "0" }, "VENUE_CLUSTER_RUNNERS: expected 1 to 9"],
      [{ VENUE_CLUSTER_GATEWAYS: "10" }, "VENUE_CLUSTER_GATEWAYS: expected 1 to 9"],
      [{ VENUE_CLUSTER_PORT_BASE: "base" }, "VENUE_CLUSTER_PORT_BASE: expected "],
      [{ VENUE_CLUSTER_PORT_BASE: "65500" }, "VENUE_CLUSTER_PORT_BASE: expected room above it for the health address"],
      [
        { VENUE_CLUSTER_PORT_BASE: "3999" },
        "VENUE_REST_PORT: expected another port, as the REST interface and the cluster address of runner-1 would both have 4000"
      ],
      [
        { VENUE_ENVIRONMENT: "production" },
        "VENUE_ENVIRONMENT: expected development, as npm run cluster makes up secrets"
      ]
    ] as const) {
      const { message } = yield* Effect.flip(planned(variables))
      assert.isTrue(message.startsWith(said), message)
    }
  })
)

it.effect("processes are given their secrets in the environment, and none by a file as well", () =>
  Effect.gen(function* () {
    const { gateways, settings } = yield* planned({})
    const secret = Redacted.make("a secret")
    const secrets = { databaseUrl: secret, secretKey: secret, adminToken: secret, authClientKeys: [secret] }
    const environment = ClusterSettings.environmentOf(settings, secrets, gateways[0]!)
    assert.isTrue(Option.isNone(settings.adminToken))
    for (const name of ["VENUE_DATABASE_URL", "VENUE_SECRET_KEY", "VENUE_ADMIN_TOKEN", "VENUE_AUTH_CLIENT_KEY"]) {
      assert.strictEqual(environment[name], "a secret")
      assert.isTrue(`${name}_FILE` in environment && environment[`${name}_FILE`] === undefined)
    }
    assert.strictEqual(environment["VENUE_PUBLIC_AUTH_URL"], "http://127.0.0.1:4002")
    const several = yield* planned({ VENUE_AUTH_CLIENT_KEY: "first, second" })
    const { authClientKeys } = several.settings
    const given = ClusterSettings.environmentOf(several.settings, { ...secrets, authClientKeys }, gateways[0]!)
    assert.strictEqual(given["VENUE_AUTH_CLIENT_KEY"], "first,second")
  })
)

it.effect(
  "gateways of a cluster are as lenient to command-line clients as the dev app, unless they are told not to be",
  () =>
    Effect.gen(function* () {
      const secret = Redacted.make("a secret")
      const secrets = { databaseUrl: secret, secretKey: secret, adminToken: secret, authClientKeys: [secret] }
      const given = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>>) {
        const { gateways, settings } = yield* planned(variables)
        return ClusterSettings.environmentOf(settings, secrets, gateways[0]!)["VENUE_PUBLIC_FORM_REFRESH"]
      })
      assert.strictEqual(yield* given({}), "on")
      assert.strictEqual(yield* given({ VENUE_PUBLIC_FORM_REFRESH: "off" }), "off")
    })
)
