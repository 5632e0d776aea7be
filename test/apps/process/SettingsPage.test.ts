import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Agreement from "../../../apps/process/Agreement.ts"
import * as NodeSettings from "../../../apps/process/NodeSettings.ts"
import { secrets } from "../../../apps/process/SecretFiles.ts"
import { type Change, declared } from "../../../apps/process/Setting.ts"
import { modules, page, path } from "./SettingsPage.ts"

const root = join(import.meta.dirname, "../../..")
const read = (file: string) => readFileSync(join(root, file), "utf8")
const names = declared.map(({ name }) => name)

it("the settings page equals the text that `npm run settings` generates from the declared settings", () => {
  assert.isAbove(modules.length, 0)
  assert.strictEqual(read(path), page())
})

it("each setting is declared once, with a description of at most 25 words", () => {
  assert.deepStrictEqual(names.toSorted(), [...new Set(names)].toSorted())
  assert.deepStrictEqual(
    declared.filter(({ meaning }) => meaning.split(/\s+/).length > 25),
    []
  )
})

it("every environment variable that a program reads is declared as a setting", () => {
  const files = globSync("{apps,cluster,packages}/**/*.ts", { cwd: root, exclude: ["**/node_modules/**"] })
  const undeclared = files
    .filter((file) => !/apps\/process\/(Setting|SecretFiles)\.ts$/.test(file))
    .filter((file) => /\bConfig\.(?!(all|option|map|withDefault|mapOrFail|orElse)\b)[a-zA-Z]+\(/.test(read(file)))
  assert.deepStrictEqual(undeclared, [])
})

it("exactly the secrets can be set by a file", () => {
  const declaredSecrets = declared.filter(({ isSecret }) => isSecret).map(({ name }) => name)
  assert.deepStrictEqual(declaredSecrets.toSorted(), [...secrets].toSorted())
})

const comparedBy = (kind: NodeSettings.NodeSettings["kind"]) =>
  NodeSettings.load(kind).pipe(
    Effect.map((settings) => Object.keys(Agreement.hashesOf(settings))),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: environment }))
  )

const environment = {
  VENUE_DATABASE_URL: "postgres://db/venue",
  VENUE_SECRET_KEY: "0123456789abcdef0123456789abcdef",
  VENUE_ADMIN_TOKEN: "token",
  VENUE_CLUSTER_ADDRESS: "10.0.0.3:4100",
  VENUE_AUTH_CLIENT_KEY: "key",
  VENUE_PUBLIC_REST_URL: "https://api.venue.test",
  VENUE_PUBLIC_FUNDING_URL: "https://funding.venue.test",
  VENUE_PUBLIC_AUTH_URL: "https://auth.venue.test",
  VENUE_PUBLIC_TRADE_URL: "wss://trade.venue.test",
  VENUE_PUBLIC_MARKET_DATA_URL: "wss://market-data.venue.test"
}

it.effect("each setting's declared kind of change matches the kinds of nodes that compare the setting on joining", () =>
  Effect.gen(function* () {
    const [runner, gateway] = [yield* comparedBy("runner"), yield* comparedBy("gateway")]
    const compared = (name: string) => [runner.includes(name), gateway.includes(name)]
    const expected: Readonly<Record<Change, ReadonlyArray<boolean>>> = {
      never: [true, true],
      "all nodes": [true, true],
      "all runners": [true, false],
      "all gateways": [false, true],
      replaced: [false, true],
      "replaced on all nodes": [true, true],
      process: [false, false],
      running: [false, false]
    }
    const wrong = declared.filter(({ changes, name }) => String(compared(name)) !== String(expected[changes]))
    assert.deepStrictEqual(
      wrong.map(({ changes, name }) => [name, changes, ...compared(name)]),
      []
    )
  }).pipe(Effect.provide(NodeServices.layer))
)
