/** Check of settings before a start. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Path } from "effect"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as CheckSettings from "../../../apps/check/CheckSettings.ts"
import * as NodeSettings from "../../../apps/process/NodeSettings.ts"
import * as TestRail from "../../providers/rails/arbitrum/TestRail.ts"

const root = join(import.meta.dirname, "../../..")
const drawn = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
type Variables = Readonly<Record<string, string>>

/** Values of an operator in place of the placeholders of `deploy/env`. */
const own: Variables = {
  VENUE_CLUSTER_ADDRESS: "10.0.0.11:4100",
  VENUE_DATABASE_URL: "postgres://venue:password@10.0.0.5:5432/venue",
  VENUE_SECRET_KEY: drawn,
  VENUE_ADMIN_TOKEN: `admin_${drawn}`,
  VENUE_AUTH_CLIENT_KEY: `pk_live_${drawn}`,
  VENUE_PUBLIC_REST_URL: "https://api.venue.test",
  VENUE_PUBLIC_FUNDING_URL: "https://funding.venue.test",
  VENUE_PUBLIC_AUTH_URL: "https://auth.venue.test",
  VENUE_PUBLIC_TRADE_URL: "wss://trade.venue.test",
  VENUE_PUBLIC_MARKET_DATA_URL: "wss://market-data.venue.test",
  VENUE_TRUSTED_PROXIES: "10.0.0.0/24",
  VENUE_SIGN_IN_URI: "https://app.venue.test/sign-in",
  VENUE_BUILDER_URI: "https://app.venue.test/builder",
  VENUE_CLIENT_AGREEMENT_URL: "https://venue.test/agreement",
  VENUE_IDENTITY_URL: "https://identity.test",
  VENUE_IDENTITY_KEY: "key",
  VENUE_IDENTITY_CALLBACK_KEY: "callback key",
  VENUE_WALLET_HOST: "10.0.1.20",
  VENUE_WALLET_SECRET: drawn,
  VENUE_WALLET_HOT_KEY: TestRail.hotKey,
  VENUE_WALLET_XPRV: TestRail.xprv
}

const { VENUE_WALLET_HOT_KEY: _hotKey, VENUE_WALLET_XPRV: _xprv, ...ofNodes } = own

const sample = (program: CheckSettings.Program) => readFileSync(join(root, `deploy/env/${program}.env`), "utf8")
const filled = (text: string) =>
  text.replaceAll(/^(VENUE_\w+)=<.*>$/gm, (line, name: string) =>
    own[name] === undefined ? line : `${name}=${own[name]}`
  )

/** Checks each program with a text in the form of an environment file. */
const checked = Effect.fnUntraced(function* (texts: Partial<Record<CheckSettings.Program, string>>) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* files.makeTempDirectoryScoped()
  const args = yield* Effect.forEach(Object.entries(texts), ([program, text]) => {
    const file = path.join(folder, `${program}.env`)
    return Effect.as(files.writeFileString(file, text), `${program}=${file}`)
  })
  return yield* CheckSettings.checked(args)
})

const textOf = (variables: Variables) =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("")

it.live("the sample files have no errors once every placeholder is replaced", () =>
  Effect.gen(function* () {
    const texts = Object.fromEntries(CheckSettings.programs.map((program) => [program, filled(sample(program))]))
    const results = yield* checked(texts)
    assert.deepStrictEqual(
      results.map(({ errors, program }) => [program, errors]),
      CheckSettings.programs.map((program) => [program, []])
    )
    assert.deepStrictEqual(
      results.flatMap(({ warnings }) => warnings.map((warning) => warning.split(":")[0])),
      ["VENUE_CLUSTER_TLS_CERT", "VENUE_PRICE_SOURCES", "VENUE_CLUSTER_TLS_CERT"]
    )
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.live("each placeholder of a sample file is an error", () =>
  Effect.gen(function* () {
    for (const program of CheckSettings.programs) {
      const text = sample(program)
      const [result] = yield* checked({ [program]: text })
      const names = [...text.matchAll(/^(VENUE_\w+)=<.*>$/gm)].map(([, name]) => name!)
      assert.isAbove(names.length, 0)
      for (const name of names)
        assert.isTrue(
          result!.errors.some((error) => error.startsWith(name)),
          `${program}: ${name}`
        )
    }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.live("reports missing, misspelt, invalid and example values of a node at once", () =>
  Effect.gen(function* () {
    const [{ errors, warnings }] = (yield* checked({
      gateway: textOf({
        ...ofNodes,
        VENUE_ENVIRONMENT: "production",
        VENUE_KEY_PREFIX: "svc_live",
        VENUE_SIMULATED_RAILS: "off",
        VENUE_SIMULATED_PRICE: "off",
        VENUE_IMAGE_TAG: "1",
        VENUE_GATEWAY_SERVICE_HOST: "10.0.0.9",
        VENUE_ADMIN_TOKEN: "",
        VENUE_REST_PORT: "rest",
        VENUE_PUBLIC_REST_URL: "https://api.venue.example",
        VENUE_AUTH_CLIENT_KEY: "pk_live_00000000000000000000000000000000",
        VENUE_PUBLIC_TRADE_URL: "ws://trade.venue.test",
        VENUE_TRUSTED_PROXIES: ""
      })
    })) as [CheckSettings.Checked]
    assert.deepStrictEqual(errors.toSorted(), [
      "VENUE_AUTH_CLIENT_KEY: expected your own value in place of the zeros of an example",
      "VENUE_IMAGE_TAG: no setting has this name",
      "VENUE_PUBLIC_REST_URL: expected your own value in place of the example domain .example",
      "VENUE_PUBLIC_TRADE_URL: expected the wss URL that clients use in production",
      "VENUE_REST_PORT: expected a port, 1 to 65535",
      "VENUE_SIMULATED_PRICE: expected another name: use VENUE_SIMULATED_PRICES"
    ])
    assert.isTrue(warnings.some((warning) => warning.startsWith("VENUE_TRUSTED_PROXIES: not set")))
    assert.include(
      warnings,
      "VENUE_ADMIN_TOKEN: expected the first operator's token at the first start, or set by PUT /settings"
    )
    assert.include(warnings, "no auditor is checked; without a running auditor, withdrawals are blocked")
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.live("a node refuses all its faults at once, and starts with an unknown name that resembles no setting", () =>
  Effect.gen(function* () {
    const load = (variables: Variables) =>
      NodeSettings.load("runner").pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: variables }))
      )
    const node = { VENUE_DATABASE_URL: "postgres://db/venue", VENUE_SECRET_KEY: drawn, VENUE_CLUSTER_ADDRESS: "a:1" }
    yield* load({ ...node, VENUE_OF_A_NEWER_RELEASE: "1" })
    const { message } = yield* Effect.flip(load({ VENUE_SECRET_KEY: "short", VENUE_DESK: "8", VENUE_DESKS: "x" }))
    for (const name of ["VENUE_DATABASE_URL", "VENUE_SECRET_KEY", "VENUE_CLUSTER_ADDRESS", "VENUE_DESK", "VENUE_DESKS"])
      assert.include(message, `${name}: expected`)
    assert.notInclude(message, "short")
  }).pipe(Effect.provide(NodeServices.layer))
)

it.live("names the settings that differ between a runner and a gateway", () =>
  Effect.gen(function* () {
    const node = { ...ofNodes, VENUE_SIMULATED_RAILS: "off" }
    const results = yield* checked({ runner: textOf(node), gateway: textOf({ ...node, VENUE_DESKS: "8" }) })
    assert.deepStrictEqual(
      results.map(({ errors }) => errors),
      [[], ["VENUE_DESKS: expected the same value as runner"]]
    )
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it("the exit code is 1 with errors and 0 with warnings only", () => {
  const run = (...args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [join(root, "apps/check/main.ts"), ...args], { cwd: root, env: {}, encoding: "utf8" })
  const faulty = run("auditor")
  assert.strictEqual(faulty.status, 1)
  assert.include(faulty.stdout, "auditor: error: VENUE_DATABASE_URL: expected a value")
  assert.include(faulty.stderr, "errors: 1, warnings: 0")
  const { status, stderr } = run("desk")
  assert.deepStrictEqual([status, /expected one or several of runner, gateway/.test(stderr)], [1, true])
})
