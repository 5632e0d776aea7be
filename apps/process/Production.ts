/** Settings that a venue refuses outside development: test keys, simulations and disabled protections. */
import { sitesOf } from "@venue/auth/wallet/SignInSite"
import { text } from "@venue/postgres/Column"
import { embeddedClaim } from "@venue/postgres/EmbeddedClaim"
import * as Table from "@venue/postgres/Table"
import { Effect, Option, Redacted, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as ArbitrumSettings from "./ArbitrumSettings.ts"
import * as AuthPlace from "./AuthPlace.ts"
import * as NodeLog from "./NodeLog.ts"
import type { NodeSettings } from "./NodeVariables.ts"
import * as SecretKeys from "./SecretKeys.ts"
import { broken, expect, type Rule, SettingRefused } from "./SettingRefused.ts"
import * as TronSettings from "./TronSettings.ts"

/** Prefixes of generated development secrets. */
const testPrefixes = /^(svc_test|pk_test)/

export const faultsOf = (settings: NodeSettings): ReadonlyArray<SettingRefused> => {
  if (settings.environment === "development") return []
  const rules = [...ofAll(settings), ...(settings.kind === "runner" ? ofRunner(settings) : ofGateway(settings))]
  return broken(rules.map(([setting, holds, expected]) => [setting, holds, `${expected} in ${settings.environment}`]))
}

/** Logs that rails are simulated in preproduction, where people might expect them to be real. */
export const announceSimulation = ({ environment, simulatedRails }: NodeSettings): Effect.Effect<void> =>
  environment === "preproduction" && simulatedRails
    ? NodeLog.announce("rails without settings are simulated: their deposits and withdrawals move no money")
    : Effect.void

/** Refuses an environment other than development, because the command generates secrets and demo users. */
export const developmentOnly = (environment: NodeSettings["environment"], command: string) =>
  expect(
    "VENUE_ENVIRONMENT",
    environment === "development",
    `development: ${command} generates secrets and demo users; start runners and gateways for other environments`
  )

const ofAll = (settings: NodeSettings): ReadonlyArray<Rule> => [
  ["VENUE_SECRET_KEY", SecretKeys.all(settings.keys).every(isDrawn), "at least 32 random characters, not a test key,"],
  ["VENUE_RATE_LIMITS", settings.rateLimits, "on"],
  [
    "VENUE_SIMULATED_RAILS",
    !settings.simulatedRails || settings.environment === "preproduction",
    "off (simulated rails move no money)"
  ],
  ...ofChains(settings),
  ["VENUE_WEBHOOK_LOOPBACK", !settings.webhookLoopback, "off (webhooks go to public addresses only)"],
  ["VENUE_CLOCK_SHIFT_MILLIS", settings.clockShiftMillis === 0, "0 (only drills shift clocks)"],
  ["VENUE_WALLET_HOT_KEY", Option.isNone(settings.arbitrum.hotKey), inWallet],
  ["VENUE_WALLET_XPRV", Option.isNone(settings.arbitrum.xprv), inWallet],
  ["VENUE_WALLET_TRON_KEY", Option.isNone(settings.tron.key), inWallet]
]

/** Only production refuses test networks: preproduction rehearses deposits and withdrawals on them. */
const ofChains = ({ arbitrum, environment, tron }: NodeSettings): ReadonlyArray<Rule> =>
  environment === "preproduction"
    ? []
    : [
        ["VENUE_ARBITRUM_CHAIN_ID", arbitrum.chainId === ArbitrumSettings.mainChainId, "the chain id of Arbitrum One"],
        ["VENUE_TRON_GENESIS", tron.genesis === TronSettings.mainGenesis, "the first block of TRON's main network"]
      ]

const inWallet = "no value (the wallet holds the key; set VENUE_WALLET_URL)"

const ofRunner = (settings: NodeSettings): ReadonlyArray<Rule> => [
  ["VENUE_SIMULATED_PRICES", !settings.simulatedPrices, "off (prices come from sources or the operator)"],
  ["VENUE_BANK_URL", Option.isNone(settings.bank.url) || isSecure(settings.bank.url), "the https URL of the bank"]
]

const ofGateway = (settings: NodeSettings): ReadonlyArray<Rule> => {
  return [
    ["VENUE_AUTH_CLIENT_KEY", !settings.authClientKeys.some(isForTests), "a key that is not a test key"],
    ["VENUE_KEY_PREFIX", !/test/.test(settings.keyPrefix), "a prefix without the word test, such as svc_live,"],
    ["VENUE_PUBLIC_AUTH_URL", isSecure(settings.publicAuthUrl), "the https URL that clients use"],
    ["VENUE_PUBLIC_REST_URL", isSecure(settings.publicRestUrl), "the https URL that clients use"],
    ["VENUE_PUBLIC_FUNDING_URL", isSecure(settings.publicFundingUrl), "the https URL that clients use"],
    ["VENUE_PUBLIC_TRADE_URL", isSecure(settings.publicTradeUrl, "wss"), "the wss URL that clients use"],
    ["VENUE_PUBLIC_MARKET_DATA_URL", isSecure(settings.publicMarketDataUrl, "wss"), "the wss URL that clients use"],
    ["VENUE_SIGN_IN_URI", areOutside(settings), "https page URLs, none of them on this machine,"],
    ["VENUE_BUILDER_URI", isOwn(settings.builderUri), "the venue's own URL, whose host does not end in .example,"],
    ["VENUE_BUILDER_KEY", settings.builderKeys.every(isDrawn), "at least 32 random characters each, no test keys,"],
    ["VENUE_CLIENT_AGREEMENT_URL", settings.clientAgreementUrls.every(isOwn), "the URL of the venue's own agreement"],
    [
      "VENUE_CAPTCHA_SITE_KEY",
      settings.captcha === "never" || Option.isSome(settings.captchaSiteKey),
      "the CAPTCHA site key, unless VENUE_CAPTCHA is never,"
    ],
    ["VENUE_IDENTITY_URL", isSecure(settings.identityUrl), "the https URL of the identity provider"]
  ]
}

/** Whether wallets can sign in only at pages outside this machine. */
const areOutside = (settings: NodeSettings): boolean =>
  Option.exists(settings.publicAuthUrl, (url) => !URL.canParse(url)) ||
  Result.isSuccess(sitesOf(AuthPlace.of(settings).signInUris, { allowLoopback: false }))

const isForTests = (secret: Redacted.Redacted): boolean => testPrefixes.test(Redacted.value(secret))
/** Whether a secret is long enough and no test key of `npm start`. */
export const isDrawn = (secret: Redacted.Redacted): boolean =>
  Redacted.value(secret).length >= 32 && !isForTests(secret)
const isSecure = (url: Option.Option<string>, scheme: "https" | "wss" = "https"): boolean =>
  Option.isSome(url) && url.value.startsWith(`${scheme}://`)
/** Returns true if the URL is valid and its host is not an example domain. */
const isOwn = (url: string): boolean => !(URL.parse(url)?.hostname ?? ".example").endsWith(".example")

const databases = Table.selection({
  isEmbedded: {
    schema: Schema.Boolean,
    expression: `exists (select from pg_stat_activity where application_name = '${embeddedClaim}')`
  }
})
const keys = Table.make("api_key", { publicKey: text })

/** Refuses an embedded database and a database with test keys. */
export const checkDatabase = Effect.fnUntraced(function* ({ environment }: NodeSettings) {
  if (environment === "development") return
  const sql = yield* SqlClient.SqlClient
  const [database] = yield* databases.all(sql`select ${databases.columns}`)
  const refused = (expected: string) =>
    Effect.fail(new SettingRefused({ setting: "VENUE_DATABASE_URL", expected: `${expected} in ${environment}` }))
  if (database!.isEmbedded) return yield* refused("a database server other than the embedded one")
  const testKey = yield* keys.first(
    sql`select ${keys.columns} from api_key where starts_with(public_key, 'svc_test') limit 1`
  )
  if (Option.isSome(testKey)) return yield* refused("a database without test API keys")
})
