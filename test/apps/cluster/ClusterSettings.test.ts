/** Tests of cluster settings. An impossible setting is refused by name before any process starts. */
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

it.effect("plans three runners and two gateways by default", () =>
  Effect.gen(function* () {
    const { gateways, runners } = yield* planned({})
    assert.deepStrictEqual([runners.length, gateways.length], [3, 2])
  })
)

it.effect("refuses a cluster that cannot run, and names the setting at fault", () =>
  Effect.gen(function* () {
    for (const [variables, message] of [
      [{ VENUE_CLUSTER_RUNNERS: "0" }, "VENUE_CLUSTER_RUNNERS: expected 1 to 9"],
      [{ VENUE_CLUSTER_GATEWAYS: "10" }, "VENUE_CLUSTER_GATEWAYS: expected 1 to 9"],
      [{ VENUE_CLUSTER_PORT_BASE: "base" }, "VENUE_CLUSTER_PORT_BASE: expected "],
      [{ VENUE_CLUSTER_PORT_BASE: "65500" }, "VENUE_CLUSTER_PORT_BASE: expected a lower port: the health address"],
      [
        { VENUE_CLUSTER_PORT_BASE: "3999" },
        "VENUE_REST_PORT: expected another port: the REST interface and the cluster address of runner-1 would both use port 4000"
      ],
      [
        { VENUE_ENVIRONMENT: "production" },
        "VENUE_ENVIRONMENT: expected development: npm run cluster generates secrets"
      ]
    ] as const) {
      const refusal = yield* Effect.flip(planned(variables))
      assert.isTrue(refusal.message.startsWith(message), refusal.message)
    }
  })
)

it.effect("passes secrets to node processes in the environment, and removes settings that name secret files", () =>
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

it.effect("by default, cluster gateways let public clients refresh tokens by form", () =>
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
