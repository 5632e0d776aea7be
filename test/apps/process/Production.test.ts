/** Settings that a venue refuses outside development, and settings that all its nodes share. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { defaults } from "@venue/cluster/VenueSettings"
import { Listings } from "@venue/storage/listing/Listings"
import { Nodes } from "@venue/storage/nodes/Nodes"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Layer, Path, Redacted } from "effect"
import * as Agreement from "../../../apps/process/Agreement.ts"
import * as NodeSettings from "../../../apps/process/NodeSettings.ts"
import * as Dev from "../../../apps/dev/Settings.ts"
import * as Production from "../../../apps/process/Production.ts"
import * as RunningRules from "../../../apps/process/RunningRules.ts"
import { emptyDatabase } from "../../Postgres.ts"

const starters = [...defaults.instruments.values()]

type Variables = Readonly<Record<string, string>>

const drawn = "0123456789abcdef0123456789abcdef"
const development = {
  VENUE_DATABASE_URL: "postgres://db/venue",
  VENUE_SECRET_KEY: drawn,
  VENUE_CLUSTER_ADDRESS: "10.0.0.3:4100"
}
const runner = {
  ...development,
  VENUE_ENVIRONMENT: "production",
  VENUE_SIMULATED_PRICES: "off",
  VENUE_SIMULATED_RAILS: "off"
}
const gateway = {
  ...development,
  VENUE_ENVIRONMENT: "production",
  VENUE_SIMULATED_RAILS: "off",
  VENUE_ADMIN_TOKEN: `admin_${drawn}`,
  VENUE_AUTH_CLIENT_KEY: "pk_live_1",
  VENUE_KEY_PREFIX: "svc_live",
  VENUE_PUBLIC_AUTH_URL: "https://auth.venue.test",
  VENUE_PUBLIC_REST_URL: "https://api.venue.test",
  VENUE_PUBLIC_FUNDING_URL: "https://funding.venue.test",
  VENUE_PUBLIC_TRADE_URL: "wss://trade.venue.test",
  VENUE_PUBLIC_MARKET_DATA_URL: "wss://market-data.venue.test",
  VENUE_BUILDER_URI: "https://app.venue.test/builder",
  VENUE_CLIENT_AGREEMENT_URL: "https://venue.test/agreement",
  VENUE_IDENTITY_URL: "https://identity.test",
  VENUE_IDENTITY_KEY: "key",
  VENUE_IDENTITY_CALLBACK_KEY: "callback key"
}

const settingsOf = (kind: "runner" | "gateway", variables: Variables) =>
  NodeSettings.load(kind).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables)),
    Effect.provide(NodeServices.layer)
  )

/** Returns the message with which the start fails, or undefined. */
const refusal = (kind: "runner" | "gateway", variables: Variables) =>
  settingsOf(kind, variables).pipe(
    Effect.as(undefined),
    Effect.catch(({ message }) => Effect.succeed(message))
  )

it.live("refuses test keys, simulations, missing values and local URLs in production, and names each setting", () =>
  Effect.gen(function* () {
    assert.isUndefined(yield* refusal("runner", runner))
    assert.isUndefined(yield* refusal("gateway", gateway))
    const cases: ReadonlyArray<readonly [kind: "runner" | "gateway", change: Variables, expected: string]> = [
      [
        "runner",
        { VENUE_SECRET_KEY: `svc_test_${drawn}` },
        "VENUE_SECRET_KEY: expected at least 32 random characters, not a test key"
      ],
      ["runner", { VENUE_RATE_LIMITS: "off" }, "VENUE_RATE_LIMITS: expected on"],
      ["runner", { VENUE_WEBHOOK_LOOPBACK: "on" }, "VENUE_WEBHOOK_LOOPBACK: expected off"],
      ["gateway", { VENUE_WEBHOOK_LOOPBACK: "on" }, "VENUE_WEBHOOK_LOOPBACK: expected off"],
      ["runner", { VENUE_CLOCK_SHIFT_MILLIS: "30000" }, "VENUE_CLOCK_SHIFT_MILLIS: expected 0"],
      ["runner", { VENUE_SIMULATED_PRICES: "on" }, "VENUE_SIMULATED_PRICES: expected off"],
      ["runner", { VENUE_SIMULATED_RAILS: "on" }, "VENUE_SIMULATED_RAILS: expected off"],
      ["gateway", { VENUE_SIMULATED_RAILS: "on" }, "VENUE_SIMULATED_RAILS: expected off"],
      [
        "runner",
        { VENUE_ARBITRUM_CHAIN_ID: "421614" },
        "VENUE_ARBITRUM_CHAIN_ID: expected the chain id of Arbitrum One"
      ],
      [
        "gateway",
        { VENUE_TRON_GENESIS: "0000cd8690dc" },
        "VENUE_TRON_GENESIS: expected the first block of TRON's main"
      ],
      [
        "runner",
        { VENUE_BANK_URL: "http://bank.venue.test", VENUE_BANK_KEY: "key" },
        "VENUE_BANK_URL: expected the https URL of the bank"
      ],
      ["gateway", { VENUE_AUTH_CLIENT_KEY: "pk_test_1" }, "VENUE_AUTH_CLIENT_KEY: expected a key"],
      ["gateway", { VENUE_AUTH_CLIENT_KEY: "pk_live_1,pk_test_1" }, "VENUE_AUTH_CLIENT_KEY: expected a key"],
      [
        "gateway",
        { VENUE_BUILDER_KEY: `svc_test_${drawn}` },
        "VENUE_BUILDER_KEY: expected at least 32 random characters each, no test keys"
      ],
      [
        "gateway",
        { VENUE_CLIENT_AGREEMENT_URL: "https://venue.test/agreement,https://venue.example/agreement" },
        "VENUE_CLIENT_AGREEMENT_URL: expected the URL of the venue's own agreement"
      ],
      ["gateway", { VENUE_KEY_PREFIX: "svc_test" }, "VENUE_KEY_PREFIX: expected a prefix"],
      ["gateway", { VENUE_PUBLIC_AUTH_URL: "http://127.0.0.1:4002" }, "VENUE_PUBLIC_AUTH_URL: expected the https"],
      [
        "gateway",
        { VENUE_PUBLIC_FUNDING_URL: "http://funding.venue.test" },
        "VENUE_PUBLIC_FUNDING_URL: expected the https"
      ],
      ["gateway", { VENUE_PUBLIC_TRADE_URL: "ws://trade.venue.test" }, "VENUE_PUBLIC_TRADE_URL: expected the wss"],
      [
        "gateway",
        { VENUE_PUBLIC_MARKET_DATA_URL: "ws://market-data.venue.test" },
        "VENUE_PUBLIC_MARKET_DATA_URL: expected the wss"
      ],
      [
        "gateway",
        { VENUE_SIGN_IN_URI: "http://localhost:3000/sign-in" },
        "VENUE_SIGN_IN_URI: expected https page URLs"
      ],
      ["gateway", { VENUE_BUILDER_URI: "https://app.venue.example/builder" }, "VENUE_BUILDER_URI: expected"],
      [
        "gateway",
        { VENUE_CAPTCHA: "risk", VENUE_CAPTCHA_SECRET: "secret", VENUE_CAPTCHA_SITE_KEY: "" },
        "VENUE_CAPTCHA_SITE_KEY: expected the CAPTCHA site key, unless VENUE_CAPTCHA is never"
      ],
      [
        "gateway",
        { VENUE_CAPTCHA: "always", VENUE_CAPTCHA_SECRET: "secret" },
        "VENUE_CAPTCHA_SITE_KEY: expected the CAPTCHA site key"
      ],
      ["gateway", { VENUE_IDENTITY_URL: "http://identity.test" }, "VENUE_IDENTITY_URL: expected the https URL"]
    ]
    for (const [kind, change, expected] of cases) {
      const usual = kind === "runner" ? runner : gateway
      assert.include(yield* refusal(kind, { ...usual, ...change }), expected)
      assert.isUndefined(yield* refusal(kind, { ...usual, ...change, VENUE_ENVIRONMENT: "development" }))
    }
    // Preproduction rehearses on simulated rails and on test networks.
    for (const change of [
      { VENUE_SIMULATED_RAILS: "on" },
      { VENUE_ARBITRUM_CHAIN_ID: "421614", VENUE_TRON_GENESIS: "0000cd8690dc" }
    ]) {
      const rehearsal = { ...change, VENUE_ENVIRONMENT: "preproduction" }
      assert.isUndefined(yield* refusal("runner", { ...runner, ...rehearsal }))
      assert.isUndefined(yield* refusal("gateway", { ...gateway, ...rehearsal }))
    }
    for (const key of ["VENUE_WALLET_HOT_KEY", "VENUE_WALLET_XPRV", "VENUE_WALLET_TRON_KEY"]) {
      const expected = `${key}: expected no value (the wallet holds the key`
      assert.include(yield* refusal("runner", { ...runner, [key]: "1" }), expected)
      assert.include(yield* refusal("gateway", { ...gateway, [key]: "1" }), expected)
    }
    const shown = { VENUE_CAPTCHA: "risk", VENUE_CAPTCHA_SECRET: "secret", VENUE_CAPTCHA_SITE_KEY: "key" }
    assert.isUndefined(yield* refusal("gateway", { ...gateway, ...shown }))
    const { VENUE_IDENTITY_URL: _url, ...unverified } = gateway
    assert.include(yield* refusal("gateway", unverified), "VENUE_IDENTITY_URL: expected the https URL")
  })
)

it.live("refuses a gateway whose secrets do not suffice for its other settings", () =>
  Effect.gen(function* () {
    const faults = Effect.fnUntraced(function* (change: Variables) {
      const settings = yield* settingsOf("gateway", { ...gateway, ...change })
      return RunningRules.faultsOf(settings, RunningRules.initialOf(settings)).map(({ setting }) => setting)
    })
    const captcha = { VENUE_CAPTCHA: "risk", VENUE_CAPTCHA_SITE_KEY: "key" }
    assert.deepStrictEqual(yield* faults({}), [])
    assert.deepStrictEqual(yield* faults({ VENUE_ADMIN_TOKEN: `svc_test_admin_${drawn}` }), ["VENUE_ADMIN_TOKEN"])
    assert.deepStrictEqual(yield* faults(captcha), ["VENUE_CAPTCHA_SECRET"])
    assert.deepStrictEqual(yield* faults({ ...captcha, VENUE_CAPTCHA_SECRET: "secret" }), [])
    assert.deepStrictEqual(yield* faults({ VENUE_IDENTITY_KEY: "", VENUE_IDENTITY_CALLBACK_KEY: "" }), [
      "VENUE_IDENTITY_KEY",
      "VENUE_IDENTITY_CALLBACK_KEY"
    ])
  })
)

it.effect("a command that generates secrets and demo users starts only in development", () =>
  Effect.gen(function* () {
    yield* Production.developmentOnly("development", "npm start")
    for (const environment of ["preproduction", "production"] as const) {
      const { message } = yield* Effect.flip(Production.developmentOnly(environment, "npm start"))
      assert.include(message, "VENUE_ENVIRONMENT: expected development: npm start generates secrets and demo users")
    }
  })
)

it.live("public clients can refresh a token by form only if the setting is on, as it is in the dev app", () =>
  Effect.gen(function* () {
    const secrets = { VENUE_ADMIN_TOKEN: "a", VENUE_AUTH_CLIENT_KEY: "b" }
    const ofGateway = (variables: Variables) => settingsOf("gateway", { ...development, ...secrets, ...variables })
    assert.isFalse((yield* ofGateway({})).publicFormRefresh)
    assert.isTrue((yield* ofGateway({ VENUE_PUBLIC_FORM_REFRESH: "on" })).publicFormRefresh)
    assert.isTrue((yield* Dev.Settings.parse(ConfigProvider.fromUnknown({}))).publicFormRefresh)
  })
)

it.live("names the setting that is missing or invalid for a node", () =>
  Effect.gen(function* () {
    const refused = (kind: "runner" | "gateway", variables: Variables) =>
      Effect.map(Effect.flip(settingsOf(kind, variables)), ({ message }) => message)
    assert.include(yield* refused("runner", { VENUE_SECRET_KEY: drawn }), "VENUE_DATABASE_URL: expected a value")
    assert.include(yield* refused("runner", { ...development, VENUE_SECRET_KEY: "short" }), "at least 32 characters")
    assert.include(yield* refused("gateway", development), "VENUE_AUTH_CLIENT_KEY: expected a value")
    assert.include(yield* refused("runner", { ...development, VENUE_NODE_NAME: "r".repeat(49) }), "VENUE_NODE_NAME")
    const lone = { ...development, VENUE_CLUSTER_TLS_CERT: "/cert.pem" }
    assert.include(yield* refused("runner", lone), "VENUE_CLUSTER_TLS_KEY")
    assert.strictEqual(
      yield* refused("runner", { ...development, VENUE_CLUSTER_ADDRESS: "4100" }),
      "VENUE_CLUSTER_ADDRESS: expected a host and a port, such as 10.0.0.3:4100"
    )
  })
)

it.live("reads a secret from the environment or from a file, and refuses a secret that is set in both ways", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const file = (yield* Path.Path).join(yield* files.makeTempDirectoryScoped(), "key")
    yield* files.writeFileString(file, `${drawn}\n`)
    const { VENUE_SECRET_KEY, ...rest } = development
    const ofFile = yield* settingsOf("runner", { ...rest, VENUE_SECRET_KEY_FILE: file })
    const inPlace = yield* settingsOf("runner", { ...rest, VENUE_SECRET_KEY })
    assert.strictEqual(Redacted.value(ofFile.key), Redacted.value(inPlace.key))
    const both = yield* Effect.flip(settingsOf("runner", { ...development, VENUE_SECRET_KEY_FILE: file }))
    assert.strictEqual(
      both.message,
      "VENUE_SECRET_KEY: expected only one of VENUE_SECRET_KEY and VENUE_SECRET_KEY_FILE; both are set"
    )
    const gone = yield* Effect.flip(settingsOf("runner", { ...rest, VENUE_SECRET_KEY_FILE: `${file}.gone` }))
    assert.include(gone.message, "VENUE_SECRET_KEY_FILE: expected the path of a file")
  }).pipe(Effect.provide(NodeServices.layer))
)

it.live("hashes every setting that nodes must share, but no port or name of a single node", () =>
  Effect.gen(function* () {
    const hashes = (variables: Variables, kind: "runner" | "gateway" = "runner") =>
      Effect.map(settingsOf(kind, { ...development, ...variables }), (settings) => Agreement.hashesOf(settings))
    const usual = yield* hashes({})
    const own = {
      VENUE_NODE_NAME: "runner-7",
      VENUE_CLUSTER_ADDRESS: "10.0.0.7:4100",
      VENUE_HEALTH_PORT: "5000",
      VENUE_REST_PORT: "5001",
      VENUE_CLOCK_SHIFT_MILLIS: "30000"
    }
    assert.deepStrictEqual(yield* hashes(own), usual)
    const differing = (other: Readonly<Record<string, string>>) =>
      Object.keys(usual).filter((name) => other[name] !== undefined && other[name] !== usual[name])
    assert.deepStrictEqual(differing(yield* hashes({ VENUE_DESKS: "8" })), ["VENUE_DESKS"])
    assert.deepStrictEqual(differing(yield* hashes({ VENUE_MAX_OPEN_ORDERS_PER_SYMBOL: "8" })), [])
    const secrets = { VENUE_ADMIN_TOKEN: "a", VENUE_AUTH_CLIENT_KEY: "b" }
    assert.deepStrictEqual(differing(yield* hashes(secrets, "gateway")), [])
    const gateways = [{}, { VENUE_CAPTCHA_SITE_KEY: "key" }].map((more) => hashes({ ...secrets, ...more }, "gateway"))
    const [without, withKey] = yield* Effect.all(gateways)
    assert.notStrictEqual(without!["VENUE_CAPTCHA_SITE_KEY"], withKey!["VENUE_CAPTCHA_SITE_KEY"])
    assert.notInclude(JSON.stringify(yield* hashes(secrets, "gateway")), drawn)
  })
)

it.live("a node starts with the contracts that the live nodes trade, or with all contracts if no node lives", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* emptyDatabase
    const settings = { ...(yield* settingsOf("runner", development)), databaseUrl }
    const sizeOf = Effect.map(Agreement.listed(settings), ({ instruments }) => instruments.size)
    const [{ clobPairId: _id, symbol: _symbol, quote: _quote, tickLotMicros: _money, ...terms }] = starters as [
      (typeof starters)[number]
    ]
    yield* Effect.gen(function* () {
      const nodes = yield* Nodes
      const agreed = Agreement.hashesOf(settings)
      yield* nodes.join({ nodeId: "1", name: "runner-1", kind: "runner", address: "", release: "", settings: agreed })
      yield* nodes.reportContracts("1", { contractsKnown: 0, contractsInForce: 0 })
      yield* (yield* Listings).add({ ...terms, base: "BA" })
      assert.strictEqual(yield* sizeOf, starters.length)
      yield* nodes.reportContracts("1", { contractsKnown: 1, contractsInForce: 1 })
      assert.strictEqual(yield* sizeOf, starters.length + 1)
      yield* (yield* Listings).add({ ...terms, base: "KO" })
      assert.strictEqual(yield* sizeOf, starters.length + 1)
      yield* nodes.leave("1")
      assert.strictEqual(yield* sizeOf, starters.length + 2)
    }).pipe(
      Effect.provide(
        Layer.merge(Nodes.layer, Listings.layer).pipe(
          Layer.provide(PgClient.layer({ url: databaseUrl, maxConnections: 2 }))
        )
      )
    )
  })
)
