/** Settings of a node that are valid, but that a venue in production rarely wants. */
import { Clock, type ConfigProvider, Effect, Option } from "effect"
import type { NodeSettings } from "./NodeVariables.ts"
import * as Setting from "./Setting.ts"
import { type Rule, SettingRefused } from "./SettingRefused.ts"
import * as TlsFiles from "./TlsFiles.ts"
import * as Variables from "./Variables.ts"

/** Settings whose plain-text URLs lead to a private network. */
const isPrivate = /^VENUE_(WALLET_URL|DATABASE_URL)/

/** Returns a text for each warning. Development has no warnings. */
export const of = Effect.fnUntraced(function* (settings: NodeSettings, given: ConfigProvider.ConfigProvider) {
  if (settings.environment === "development") return []
  const plain = yield* Effect.forEach(Setting.declared, ({ name }) =>
    Effect.map(Variables.valueOf(given, name), (value) =>
      value !== undefined && /(^|[\s,])(http|ws):\/\//.test(value) && !isPrivate.test(name)
        ? [`${name}: the connection is not encrypted; use https or wss`]
        : []
    )
  )
  const rules = settings.kind === "runner" ? ofRunner(settings) : ofGateway(settings)
  const broken = rules.filter(([, holds]) => !holds).map(([setting, , text]) => `${setting}: ${text}`)
  return [...broken, ...plain.flat()]
})

/** Returns the refusal of an expired certificate, or the warning about a certificate that expires within 30 days. */
export const ofCertificate = Effect.fnUntraced(function* ({ tls }: NodeSettings) {
  if (tls === undefined) return {}
  const nowMillis = yield* Clock.currentTimeMillis
  const untilMillis = TlsFiles.expiryMillis(tls.cert)
  const at = new Date(untilMillis).toISOString()
  if (untilMillis <= nowMillis)
    return {
      fault: new SettingRefused({ setting: certificate, expected: `a certificate that is valid; it expired at ${at}` })
    }
  return untilMillis - nowMillis < noticeMillis ? { warning: `${certificate}: the certificate expires at ${at}` } : {}
})

const certificate = "VENUE_CLUSTER_TLS_CERT"
const noticeMillis = 30 * 86_400_000

const ofNode = (settings: NodeSettings): ReadonlyArray<Rule> => [
  [
    certificate,
    settings.tls !== undefined,
    "not set, so traffic between nodes is neither encrypted nor authenticated; use a private network, or set the three TLS files"
  ]
]

const ofRunner = (settings: NodeSettings): ReadonlyArray<Rule> => [
  ...ofNode(settings),
  [
    "VENUE_PRICE_SOURCES",
    Option.isSome(settings.priceSources),
    "not set, so contracts have prices only from operators (`POST /prices`)"
  ]
]

const ofGateway = (settings: NodeSettings): ReadonlyArray<Rule> => [
  ...ofNode(settings),
  [
    "VENUE_TRUSTED_PROXIES",
    settings.trustedProxies.length > 0,
    "not set; behind a proxy, all clients then share one address and its rate limits"
  ]
]
