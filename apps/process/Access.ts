/** Who may come into a venue: its settings as layers. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Access from "@venue/auth/access/Access"
import * as AllowList from "@venue/auth/access/AllowList"
import { isBrand } from "@venue/api/Brand"
import { type BuilderTerms, templateOf, termsOf } from "@venue/auth/wallet/BuilderMessage"
import { derivedKey } from "@venue/auth/keys/DerivedKey"
import { sitesOf } from "@venue/auth/wallet/SignInSite"
import { Captcha } from "@venue/providers/Captcha"
import { IdentityProvider } from "@venue/providers/Identity"
import { Effect, Layer, Option, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as AuthPlace from "./AuthPlace.ts"
import { SettingRefused } from "./SettingRefused.ts"
import type { SharedSettings } from "./Settings.ts"

/** Every key of the venue but those of the tokens comes out of this one secret, and those are sealed under it. */
export const layer = Effect.fn("Access.layer")(function* (settings: SharedSettings, secretKey: Redacted.Redacted) {
  const { serviceName } = settings
  yield* check(settings, secretKey)
  const { issuer, signInPage, signInUris } = AuthPlace.of(settings)
  const sites = yield* Effect.mapError(Effect.fromResult(sitesOf(signInUris, { allowLoopback: true })), ({ uri }) =>
    siteRefused(settings, uri)
  )
  const builderTerms = yield* builderTermsOf(settings, secretKey)
  return Access.layer({
    issuer,
    serviceName,
    sites,
    builderTerms,
    consentPage: signInPage,
    walletsEnabled: settings.walletSignIn,
    acceptLowercaseAddress: settings.lowercaseAddresses,
    requirements: {
      verifiedIdentity: Option.isSome(settings.identityUrl),
      termsVersion: settings.termsVersion,
      blockedCountries: new Set(settings.blockedCountries),
      secondFactorToFund: settings.secondFactorToFund
    },
    keyPrefix: settings.keyPrefix,
    serverKey: derivedKey(secretKey, "refresh tokens")
  }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        captcha(settings),
        identity(settings, signInPage, derivedKey(secretKey, "identity callbacks")),
        SecureRandom.layerWebCrypto
      )
    )
  )
})

/** A page nobody set is the venue's own, at the public address or where the service listens. */
const siteRefused = (settings: SharedSettings, uri: string): SettingRefused =>
  settings.signInUris.includes(uri)
    ? new SettingRefused({ setting: "VENUE_SIGN_IN_URI", expected: `https, or loopback, and not ${uri}` })
    : new SettingRefused({
        setting: "VENUE_PUBLIC_AUTH_URL",
        expected: `the https address that clients use, as VENUE_HOST is ${settings.host} and wallets sign in at an https or loopback page alone, not at ${uri}`
      })

/** What no type says of the settings. */
const check = (settings: SharedSettings, secretKey: Redacted.Redacted): Effect.Effect<void, SettingRefused> => {
  const { blockedCountries, brand, builderKeys, captcha, captchaSecret, clientAgreementUrls } = settings
  const { countryHeader, identityUrl, trustedProxies } = settings
  const keys = [settings.identityKey, settings.identityCallbackKey]
  const rules: ReadonlyArray<readonly [setting: string, holds: boolean, expected: string]> = [
    ["VENUE_PUBLIC_AUTH_URL", isWeb(settings.publicAuthUrl), web],
    ["VENUE_PUBLIC_REST_URL", isWeb(settings.publicRestUrl), web],
    ["VENUE_PUBLIC_FUNDING_URL", isWeb(settings.publicFundingUrl), web],
    ["VENUE_PUBLIC_TRADE_URL", isSocket(settings.publicTradeUrl), socket],
    ["VENUE_PUBLIC_MARKET_DATA_URL", isSocket(settings.publicMarketDataUrl), socket],
    ["VENUE_SECRET_KEY", Redacted.value(secretKey).length >= 32, "at least 32 characters"],
    [
      "VENUE_BUILDER_KEY",
      builderKeys.length <= 2 && builderKeys.every((key) => Redacted.value(key).length >= 32),
      "one key of at least 32 characters, or two with a comma between"
    ],
    ["VENUE_CLIENT_AGREEMENT_URL", hasOneOrTwo(clientAgreementUrls), "one address, or two with a comma between"],
    ["VENUE_KEY_PREFIX", /^[a-z0-9_]+$/i.test(settings.keyPrefix), "letters, digits and underscores"],
    ["VENUE_BRAND", isBrand(brand), "letters, digits and hyphens, and neither builder nor future"],
    [
      "VENUE_BLOCKED_COUNTRIES",
      blockedCountries.every((code) => /^[A-Z]{2}$/.test(code)),
      "codes of two capital letters"
    ],
    ["VENUE_TRUSTED_PROXIES", trustedProxies.every(AllowList.isNetwork), "addresses, or networks such as 10.0.0.0/8"],
    [
      "VENUE_COUNTRY_HEADER",
      Option.isNone(countryHeader) || trustedProxies.length > 0,
      "nothing without VENUE_TRUSTED_PROXIES, as nobody else's word on a country is taken"
    ],
    [
      "VENUE_CAPTCHA_SECRET",
      captcha === "never" || Option.isSome(captchaSecret),
      "a secret, as VENUE_CAPTCHA is not never"
    ],
    [
      "VENUE_IDENTITY_KEY and VENUE_IDENTITY_CALLBACK_KEY",
      Option.isNone(identityUrl) || keys.every((key) => Redacted.value(key) !== ""),
      "both, as VENUE_IDENTITY_URL is set"
    ]
  ]
  const broken = rules.find(([, holds]) => !holds)
  return broken === undefined
    ? Effect.void
    : Effect.fail(new SettingRefused({ setting: broken[0], expected: broken[2] }))
}

const hasOneOrTwo = ({ length }: ReadonlyArray<string>): boolean => length === 1 || length === 2

const web = "an http or https address without a path"
const isWeb = (url: Option.Option<string>): boolean =>
  Option.match(url, {
    onNone: () => true,
    onSome: (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? "") && URL.parse(text)?.origin === text
  })

const socket = "a ws or wss address without a query"
const isSocket = (url: Option.Option<string>): boolean =>
  Option.match(url, {
    onNone: () => true,
    onSome: (text) => /^wss?:\/\/[^?#]+$/.test(text) && URL.canParse(text)
  })

/** A message of one environment proves nothing in another, though they had the same secret. */
const builderUse = ({ environment }: SharedSettings): string =>
  environment === "development" ? "builder messages" : `builder messages of ${environment}`

/** What was used before, or will be next, is good for as long as the settings name it: the operator knows when that is over. */
const builderTermsOf = (
  settings: SharedSettings,
  secretKey: Redacted.Redacted
): Effect.Effect<BuilderTerms, SettingRefused> => {
  const { builderUri: uri, clientAgreementUrls, serviceName } = settings
  const [agreementUrl, otherUrl] = clientAgreementUrls as readonly [string, string?]
  const [macKey, otherKey] = builderKeysOf(settings, secretKey)
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
  return Effect.mapError(Effect.fromResult(termsOf(terms)), ({ fault }) => new SettingRefused(faults[fault]))
}

/** Of the key that is used, and of one that is accepted beside it. */
const builderKeysOf = (settings: SharedSettings, secretKey: Redacted.Redacted) => {
  const [key = secretKey, other] = settings.builderKeys
  const derived = (secret: Redacted.Redacted) => derivedKey(secret, builderUse(settings))
  return [derived(key), other && derived(other)] as const
}

const faults = {
  uri: { setting: "VENUE_BUILDER_URI", expected: "an https address as a browser shows it" },
  agreement_url: { setting: "VENUE_CLIENT_AGREEMENT_URL", expected: "an https address as a browser shows it" },
  statement: { setting: "VENUE_SERVICE_NAME", expected: "letters, digits and spaces" }
} as const

const captcha = ({ captchaProvider, captchaSecret }: SharedSettings): Layer.Layer<Captcha> =>
  Option.match(captchaSecret, {
    onNone: () => Captcha.layerLocal(""),
    onSome: (secret) =>
      (captchaProvider === "turnstile" ? Captcha.layerTurnstile({ secret }) : Captcha.layerHcaptcha({ secret })).pipe(
        Layer.provide(NodeHttpClient.layerUndici)
      )
  })

/** Without a provider nobody has to be verified, and whoever asks for it is verified at once. */
const identity = (settings: SharedSettings, pageUrl: string, callbackKey: Redacted.Redacted) =>
  Option.match(settings.identityUrl, {
    onNone: () =>
      IdentityProvider.layerLocal({ pageUrl, callbackKey, verifiesAtOnce: true }).pipe(
        Layer.provide(SecureRandom.layerWebCrypto)
      ),
    onSome: (url) =>
      IdentityProvider.layer({ url, key: settings.identityKey, callbackKey: settings.identityCallbackKey }).pipe(
        Layer.provide(NodeHttpClient.layerUndici)
      )
  })
