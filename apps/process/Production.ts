/** What a venue that is no development refuses to start with: whatever is made for tests, or off for convenience. */
import { sitesOf } from "@venue/auth/wallet/SignInSite"
import { text } from "@venue/postgres/Column"
import { embeddedClaim } from "@venue/postgres/EmbeddedClaim"
import * as Table from "@venue/postgres/Table"
import { Effect, Option, Redacted, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as AuthPlace from "./AuthPlace.ts"
import type { NodeSettings } from "./NodeSettings.ts"
import { expect, SettingRefused } from "./SettingRefused.ts"

/** What is made up for a development begins with one of these. */
const madeForTests = /^(svc_test|pk_test)/

type Rule = readonly [setting: string, holds: boolean, expected: string]

export const check = (settings: NodeSettings): Effect.Effect<void, SettingRefused> => {
  if (settings.environment === "development") return Effect.void
  const rules = [...ofAll(settings), ...(settings.kind === "runner" ? ofRunner(settings) : ofGateway(settings))]
  const broken = rules.find(([, holds]) => !holds)
  if (broken === undefined) return Effect.void
  return Effect.fail(new SettingRefused({ setting: broken[0], expected: `${broken[2]} in ${settings.environment}` }))
}

/** What makes up secrets and demo users is for nothing else. */
export const developmentOnly = (environment: NodeSettings["environment"], command: string) =>
  expect(
    "VENUE_ENVIRONMENT",
    environment === "development",
    `development, as ${command} makes up secrets and demo users; start runners and gateways for others`
  )

const ofAll = (settings: NodeSettings): ReadonlyArray<Rule> => [
  ["VENUE_SECRET_KEY", isDrawn(settings.key), "a secret of this venue's own, not one made for tests,"],
  ["VENUE_RATE_LIMITS", settings.rateLimits, "on"],
  [
    "VENUE_SIMULATED_RAILS",
    !settings.simulatedRails,
    "off, as money is real and comes by rails that the venue is connected to,"
  ],
  ["VENUE_WEBHOOK_LOOPBACK", !settings.webhookLoopback, "off, as messages go to public addresses alone,"],
  ["VENUE_CLOCK_SHIFT_MILLIS", settings.clockShiftMillis === 0, "0, as no clock is shifted"],
  ["VENUE_WALLET_HOT_KEY", Option.isNone(settings.arbitrum.hotKey), inWallet],
  ["VENUE_WALLET_XPRV", Option.isNone(settings.arbitrum.xprv), inWallet],
  ["VENUE_WALLET_TRON_KEY", Option.isNone(settings.tron.key), inWallet]
]

const inWallet = "nothing here, as apps/wallet has the keys and VENUE_WALLET_URL leads a runner to it,"

const ofRunner = (settings: NodeSettings): ReadonlyArray<Rule> => [
  ["VENUE_SIMULATED_PRICES", !settings.simulatedPrices, "off, as prices come from sources or the operator"],
  ["VENUE_BANK_URL", Option.isNone(settings.bank.url) || isSecure(settings.bank.url), "the https address of the bank"]
]

const ofGateway = (settings: NodeSettings): ReadonlyArray<Rule> => {
  const sites = sitesOf(AuthPlace.of(settings).signInUris, { allowLoopback: false })
  return [
    ["VENUE_ADMIN_TOKEN", isDrawn(settings.adminToken), "at least 32 characters that were not made for tests"],
    ["VENUE_AUTH_CLIENT_KEY", !settings.authClientKeys.some(isForTests), "a key that was not made for tests"],
    ["VENUE_KEY_PREFIX", !/test/.test(settings.keyPrefix), "a prefix without the word test, such as svc_live,"],
    ["VENUE_PUBLIC_AUTH_URL", isSecure(settings.publicAuthUrl), "the https address that clients use"],
    ["VENUE_PUBLIC_REST_URL", isSecure(settings.publicRestUrl), "the https address that clients use"],
    ["VENUE_PUBLIC_FUNDING_URL", isSecure(settings.publicFundingUrl), "the https address that clients use"],
    ["VENUE_PUBLIC_TRADE_URL", isSecure(settings.publicTradeUrl, "wss"), "the wss address that clients use"],
    ["VENUE_PUBLIC_MARKET_DATA_URL", isSecure(settings.publicMarketDataUrl, "wss"), "the wss address that clients use"],
    ["VENUE_SIGN_IN_URI", Result.isSuccess(sites), "https pages, none of this machine's own,"],
    ["VENUE_BUILDER_URI", isOwn(settings.builderUri), "the venue's own address"],
    ["VENUE_BUILDER_KEY", settings.builderKeys.every(isDrawn), "secrets of this venue's own, not made for tests,"],
    ["VENUE_CLIENT_AGREEMENT_URL", settings.clientAgreementUrls.every(isOwn), "the venue's own agreement"],
    [
      "VENUE_CAPTCHA_SITE_KEY",
      settings.captcha === "never" || Option.isSome(settings.captchaSiteKey),
      "the key that the sign-in page shows a CAPTCHA with, as VENUE_CAPTCHA is not never,"
    ],
    ["VENUE_IDENTITY_URL", isSecure(settings.identityUrl), "the https address of the provider that verifies users"]
  ]
}

const isForTests = (secret: Redacted.Redacted): boolean => madeForTests.test(Redacted.value(secret))
const isDrawn = (secret: Redacted.Redacted): boolean => Redacted.value(secret).length >= 32 && !isForTests(secret)
const isSecure = (url: Option.Option<string>, scheme: "https" | "wss" = "https"): boolean =>
  Option.isSome(url) && url.value.startsWith(`${scheme}://`)
/** Addresses of examples are nobody's. */
const isOwn = (url: string): boolean => !(URL.parse(url)?.hostname ?? ".example").endsWith(".example")

const databases = Table.selection({
  isEmbedded: {
    schema: Schema.Boolean,
    expression: `exists (select from pg_stat_activity where application_name = '${embeddedClaim}')`
  }
})
const keys = Table.make("api_key", { publicKey: text })

/** What the database itself tells. */
export const checkDatabase = Effect.fnUntraced(function* ({ environment }: NodeSettings) {
  if (environment === "development") return
  const sql = yield* SqlClient.SqlClient
  const [database] = yield* databases.all(sql`select ${databases.columns}`)
  const refused = (expected: string) =>
    Effect.fail(new SettingRefused({ setting: "VENUE_DATABASE_URL", expected: `${expected} in ${environment}` }))
  if (database!.isEmbedded) return yield* refused("a database server that does not come with the venue")
  const ofTests = yield* keys.first(
    sql`select ${keys.columns} from api_key where starts_with(public_key, 'svc_test') limit 1`
  )
  if (Option.isSome(ofTests)) return yield* refused("a database without API keys that were made for tests")
})
