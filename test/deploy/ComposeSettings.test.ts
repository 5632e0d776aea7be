/** Tests of the settings that an operator gives to Docker Compose, as the nodes read them. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem } from "effect"
import * as Agreement from "../../apps/process/Agreement.ts"
import * as NodeSettings from "../../apps/process/NodeSettings.ts"
import * as RunningRules from "../../apps/process/RunningRules.ts"
import { refuseAll } from "../../apps/process/SettingRefused.ts"
import { declared } from "../../apps/process/Setting.ts"
import { compose, environmentOf } from "./Manifests.ts"

type Variables = Readonly<Record<string, string>>

const drawn = "0123456789abcdef0123456789abcdef"
const development = { VENUE_AUTH_CLIENT_KEY: "pk_live_1" }
const production = {
  VENUE_ENVIRONMENT: "production",
  VENUE_SIMULATED_PRICES: "off",
  VENUE_SIMULATED_RAILS: "off",
  VENUE_AUTH_CLIENT_KEY: "pk_live_1",
  VENUE_KEY_PREFIX: "svc_live",
  VENUE_PUBLIC_REST_URL: "https://api.venue.test",
  VENUE_PUBLIC_FUNDING_URL: "https://funding.venue.test",
  VENUE_PUBLIC_AUTH_URL: "https://auth.venue.test",
  VENUE_PUBLIC_TRADE_URL: "wss://trade.venue.test",
  VENUE_PUBLIC_MARKET_DATA_URL: "wss://market-data.venue.test",
  VENUE_TRUSTED_PROXIES: "10.0.0.0/8",
  VENUE_BUILDER_URI: "https://app.venue.test/builder",
  VENUE_CLIENT_AGREEMENT_URL: "https://venue.test/agreement",
  VENUE_IDENTITY_URL: "https://identity.test"
}

const secrets: Variables = {
  database_url: "postgres://db/venue",
  secret_key: drawn,
  admin_token: `admin_${drawn}`,
  wallet_secret: drawn
}
const optional = ["builder_key", "captcha_secret", "identity_key", "identity_callback_key", "bank_webhook_secret"]

/**
 * Loads the settings of a node as compose starts it. Only mounted secrets exist; a secret without a value is an empty
 * file.
 */
const settingsOf = Effect.fnUntraced(function* (service: string, given: Variables, written: Variables = {}) {
  const files = yield* FileSystem.FileSystem
  const folder = yield* files.makeTempDirectoryScoped()
  for (const name of compose.services[service]!.secrets ?? [])
    yield* files.writeFileString(`${folder}/${name}`, written[name] ?? secrets[name] ?? "")
  return yield* loaded(service, environmentOf(service, given, folder))
})

const loaded = (service: string, environment: Variables) =>
  NodeSettings.load(service.startsWith("runner") ? "runner" : "gateway").pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: environment }))
  )

/** Returns the message with which the start fails, or "starts". */
const refusal = (service: string, given: Variables, written?: Variables) =>
  settingsOf(service, given, written).pipe(
    Effect.tap((settings) =>
      settings.kind === "gateway"
        ? refuseAll(RunningRules.faultsOf(settings, RunningRules.initialOf(settings)))
        : Effect.void
    ),
    Effect.as("starts"),
    Effect.catch(({ message }) => Effect.succeed(message)),
    Effect.scoped
  )

const nodes = Object.keys(compose.services).filter((name) => /^(runner|gateway)-/.test(name))
const identity = { identity_key: "key", identity_callback_key: "callback key" }

it.effect("passes the settings that production requires to every node", () =>
  Effect.gen(function* () {
    for (const service of nodes) assert.strictEqual(yield* refusal(service, production, identity), "starts", service)
    for (const name of Object.keys(production).filter((name) => !/PROXIES|AUTH_CLIENT|ENVIRONMENT|PRICES/.test(name))) {
      const { [name]: _without, ...others } = production as Variables
      assert.include(yield* refusal("gateway-1", others, identity), `${name}: expected`)
    }
    assert.include(yield* refusal("gateway-1", production), "VENUE_IDENTITY_KEY: expected a key")
    const { environment, trustedProxies } = yield* settingsOf("gateway-1", production, identity)
    assert.deepStrictEqual([environment, trustedProxies], ["production", ["10.0.0.0/8"]])
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.effect("treats a setting without a value, or with an empty secret file, as unset", () =>
  Effect.gen(function* () {
    const hashes = (settings: NodeSettings.NodeSettings) => Agreement.hashesOf(settings)
    for (const service of nodes) {
      assert.strictEqual(yield* refusal(service, development), "starts", service)
      const variables = {
        VENUE_DATABASE_URL: secrets["database_url"]!,
        VENUE_SECRET_KEY: drawn,
        VENUE_CLUSTER_ADDRESS: "10.0.0.3:4100",
        VENUE_ADMIN_TOKEN: secrets["admin_token"]!,
        ...development,
        ...Object.fromEntries(
          Object.entries(environmentOf(service, development, "")).filter(([name]) => name.startsWith("VENUE_PUBLIC_"))
        )
      }
      const usual = yield* loaded(service, variables)
      assert.deepStrictEqual(hashes(yield* settingsOf(service, development)), hashes(usual), service)
    }
    const mounted = compose.services["gateway-1"]!.secrets ?? []
    assert.includeMembers([...mounted], optional)
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

/** Settings that compose sets itself, and those of the dev app, drills and certificates. */
const own = [
  /^VENUE_(HOST|\w+_PORT|DATA_DIR|MARKET_MAKER|AUDITOR|EXTRA_USERS)$/,
  /^VENUE_CLUSTER_(RUNNERS|GATEWAYS|PORT_BASE|DIAL_FROM|TLS_\w+)$/,
  /^VENUE_(HEALTH_HOST|CLOCK_SHIFT_MILLIS)$/
]

/** Settings of a payment rail, which an override file passes. */
const ofRail = /^VENUE_(ARBITRUM|TRON|WALLET_(?!SIGN)|BANK)/

it("compose passes to the nodes every setting that they read, except rail settings and its own settings", () => {
  const names = declared
    .filter(({ readers }) => readers.some((reader) => reader === "runner" || reader === "gateway"))
    .map(({ name }) => name)
    .filter((name) => !ofRail.test(name))
  const passed = nodes.flatMap((service) => Object.keys(compose.services[service]!.environment ?? {}))
  const reaches = new Set(passed.map((name) => name.replace(/_FILE$/, "")))
  assert.isAbove(names.length, 50)
  assert.deepStrictEqual(
    names.filter((name) => !reaches.has(name) && !own.some((pattern) => pattern.test(name))),
    []
  )
})
