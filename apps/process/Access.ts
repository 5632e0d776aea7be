/** Layers of sign-in, access control, CAPTCHA and identity, from the settings. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Access from "@venue/auth/access/Access"
import * as AllowList from "@venue/auth/access/AllowList"
import { isBrand } from "@venue/api/Brand"
import { type BuilderTerms, templateOf, termsOf } from "@venue/auth/wallet/BuilderMessage"
import { derivedKey } from "@venue/auth/keys/DerivedKey"
import { sitesOf } from "@venue/auth/wallet/SignInSite"
import { Captcha } from "@venue/providers/Captcha"
import { IdentityProvider } from "@venue/providers/Identity"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import type { Values } from "@venue/storage/settings/SettingValues"
import { Effect, Layer, Option, Redacted, Result } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as AuthPlace from "./AuthPlace.ts"
import type { SecretKeys } from "./SecretKeys.ts"
import { broken, refuseAll, type Rule, SettingRefused } from "./SettingRefused.ts"
import type { SharedSettings } from "./Settings.ts"

/**
 * Returns the layers. Every key is derived from `secretKey`, except the tokens' signing keys, which are sealed under
 * it. Builder messages and refresh tokens that were derived from `otherSecretKey` are accepted too.
 */
export const layer = Effect.fn("Access.layer")(function* (
  settings: SharedSettings,
  secretKey: Redacted.Redacted,
  otherSecretKey?: Redacted.Redacted
) {
  const { serviceName } = settings
  yield* refuseAll(broken(rulesOf(settings, secretKey)))
  const { issuer, signInPage } = AuthPlace.of(settings)
  const sites = yield* Effect.fromResult(signInSitesOf(settings))
  const builderTerms = yield* Effect.fromResult(builderTermsOf(settings, [secretKey, otherSecretKey]))
  const ofRunning = ({ now }: RunningSettings["Service"]) =>
    Access.layer({
      issuer,
      serviceName,
      sites,
      builderTerms,
      consentPage: signInPage,
      walletsEnabled: settings.walletSignIn,
      acceptLowercaseAddress: settings.lowercaseAddresses,
      requirements: requirementsOf(now, Option.isSome(settings.identityUrl)),
      keyPrefix: settings.keyPrefix,
      serverKey: derivedKey(secretKey, "refresh tokens"),
      otherServerKey: otherSecretKey && derivedKey(otherSecretKey, "refresh tokens")
    }).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          captcha(settings, now),
          identity(settings, now, signInPage, derivedKey(secretKey, "identity callbacks")),
          SecureRandom.layerWebCrypto
        )
      )
    )
  return Layer.unwrap(Effect.map(RunningSettings, ofRunning))
})

/** Returns the requirements in force, which change with the running settings. */
const requirementsOf = (now: () => Values, verifiedIdentity: boolean) => {
  const of = ({ blockedCountries, secondFactorToFund, termsVersion }: Values) => ({
    verifiedIdentity,
    termsVersion,
    blockedCountries: new Set(blockedCountries),
    secondFactorToFund
  })
  let known = now()
  let requirements = of(known)
  return () => {
    const values = now()
    if (values !== known) [known, requirements] = [values, of(values)]
    return requirements
  }
}

/** Returns all faults with which `layer` would fail. */
export const faultsOf = (settings: SharedSettings, secretKey: Redacted.Redacted): ReadonlyArray<SettingRefused> => {
  const rules = broken(rulesOf(settings, secretKey))
  // The pages' addresses derive from this URL.
  if (rules.some(({ setting }) => setting === "VENUE_PUBLIC_AUTH_URL")) return rules
  const sites = Result.getFailure(signInSitesOf(settings))
  const terms = Result.getFailure(builderTermsOf(settings, [secretKey]))
  return [...rules, ...Option.toArray(sites), ...Option.toArray(terms)]
}

const signInSitesOf = (settings: SharedSettings) =>
  Result.mapError(sitesOf(AuthPlace.of(settings).signInUris, { allowLoopback: true }), ({ uri }) =>
    siteRefused(settings, uri)
  )

/**
 * Returns the refusal of an invalid sign-in page. A page outside `VENUE_SIGN_IN_URI` is the venue's own, at its
 * public address or its listener.
 */
const siteRefused = (settings: SharedSettings, uri: string): SettingRefused =>
  settings.signInUris.includes(uri)
    ? new SettingRefused({ setting: "VENUE_SIGN_IN_URI", expected: `an https URL or a loopback URL, not ${uri}` })
    : new SettingRefused({
        setting: "VENUE_PUBLIC_AUTH_URL",
        expected: `the https URL that clients use: VENUE_HOST is ${settings.host}, and wallets sign in only at https or loopback URLs, not at ${uri}`
      })

/** Rules that the settings' types do not express. */
const rulesOf = (settings: SharedSettings, secretKey: Redacted.Redacted): ReadonlyArray<Rule> => {
  const { brand, builderKeys, clientAgreementUrls, countryHeader, trustedProxies } = settings
  return [
    ["VENUE_PUBLIC_AUTH_URL", isWeb(settings.publicAuthUrl), web],
    ["VENUE_PUBLIC_REST_URL", isWeb(settings.publicRestUrl), web],
    ["VENUE_PUBLIC_FUNDING_URL", isWeb(settings.publicFundingUrl), web],
    ["VENUE_PUBLIC_TRADE_URL", isSocket(settings.publicTradeUrl), socket],
    ["VENUE_PUBLIC_MARKET_DATA_URL", isSocket(settings.publicMarketDataUrl), socket],
    ["VENUE_SECRET_KEY", Redacted.value(secretKey).length >= 32, "at least 32 characters"],
    [
      "VENUE_BUILDER_KEY",
      builderKeys.length <= 2 && builderKeys.every((key) => Redacted.value(key).length >= 32),
      "one or two keys of at least 32 characters, separated by a comma"
    ],
    ["VENUE_CLIENT_AGREEMENT_URL", hasOneOrTwo(clientAgreementUrls), "one or two URLs, separated by a comma"],
    ["VENUE_KEY_PREFIX", /^[a-z0-9_]+$/i.test(settings.keyPrefix), "letters, digits and underscores"],
    ["VENUE_BRAND", isBrand(brand), "letters, digits and hyphens, except the words builder and future"],
    [
      "VENUE_TRUSTED_PROXIES",
      trustedProxies.every(AllowList.isNetwork),
      "IP addresses, or networks such as 10.0.0.0/8"
    ],
    [
      "VENUE_COUNTRY_HEADER",
      Option.isNone(countryHeader) || trustedProxies.length > 0,
      "no value without VENUE_TRUSTED_PROXIES: only a trusted proxy is allowed to set the country"
    ]
  ]
}

const hasOneOrTwo = ({ length }: ReadonlyArray<string>): boolean => length === 1 || length === 2

const web = "an http or https URL without a path"
const isWeb = (url: Option.Option<string>): boolean =>
  Option.match(url, {
    onNone: () => true,
    onSome: (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? "") && URL.parse(text)?.origin === text
  })

const socket = "a ws or wss URL without a query"
const isSocket = (url: Option.Option<string>): boolean =>
  Option.match(url, {
    onNone: () => true,
    onSome: (text) => /^wss?:\/\/[^?#]+$/.test(text) && URL.canParse(text)
  })

/**
 * Purpose for which builder keys are derived. Contains the environment, so that a message from one environment is
 * invalid in another one with the same secret.
 */
const builderUse = ({ environment }: SharedSettings): string =>
  environment === "development" ? "builder messages" : `builder messages of ${environment}`

/**
 * Returns the terms of builder messages. A second key or agreement is valid while the settings list it, so the
 * operator decides when a replacement is complete.
 */
const builderTermsOf = (
  settings: SharedSettings,
  secretKeys: SecretKeys
): Result.Result<BuilderTerms, SettingRefused> => {
  const { builderUri: uri, clientAgreementUrls, serviceName } = settings
  const [agreementUrl, otherUrl] = clientAgreementUrls as readonly [string, string?]
  const [macKey, otherKey] = builderKeysOf(settings, secretKeys)
  const untilMillis = Infinity
  const terms: BuilderTerms = {
    serviceName,
    uri,
    agreementUrl,
    macKey,
    otherMacKey: otherKey && { key: otherKey, untilMillis },
    otherTemplate:
      otherUrl === undefined ? undefined : { ...templateOf({ serviceName, agreementUrl: otherUrl }), untilMillis }
  }
  return Result.mapError(termsOf(terms), ({ fault }) => new SettingRefused(faults[fault]))
}

/** Returns the key that is used and, if there is one, the second key that is accepted. */
const builderKeysOf = (settings: SharedSettings, secretKeys: SecretKeys) => {
  const [key, other] = settings.builderKeys.length === 0 ? secretKeys : (settings.builderKeys as unknown as SecretKeys)
  const derived = (secret: Redacted.Redacted) => derivedKey(secret, builderUse(settings))
  return [derived(key), other && derived(other)] as const
}

const faults = {
  uri: { setting: "VENUE_BUILDER_URI", expected: "an https URL in the form that a browser shows" },
  agreement_url: { setting: "VENUE_CLIENT_AGREEMENT_URL", expected: "an https URL in the form that a browser shows" },
  statement: { setting: "VENUE_SERVICE_NAME", expected: "letters, digits and spaces" }
} as const

const captcha = ({ captcha: use, captchaProvider }: SharedSettings, now: () => Values): Layer.Layer<Captcha> => {
  const secret = () => now().captchaSecret
  if (use === "never") return Captcha.layerLocal("")
  return (
    captchaProvider === "turnstile" ? Captcha.layerTurnstile({ secret }) : Captcha.layerHcaptcha({ secret })
  ).pipe(Layer.provide(NodeHttpClient.layerUndici))
}

/** Without a provider, users need no verification, and a requested verification succeeds at once. */
const identity = (settings: SharedSettings, now: () => Values, pageUrl: string, callbackKey: Redacted.Redacted) =>
  Option.match(settings.identityUrl, {
    onNone: () =>
      IdentityProvider.layerLocal({ pageUrl, callbackKey, verifiesAtOnce: true }).pipe(
        Layer.provide(SecureRandom.layerWebCrypto)
      ),
    onSome: (url) =>
      IdentityProvider.layer({
        url,
        key: () => now().identityKey,
        callbackKey: () => now().identityCallbackKey
      }).pipe(Layer.provide(NodeHttpClient.layerUndici))
  })
