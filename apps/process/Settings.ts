/** The settings that a venue has however many processes it is: environment variables, with defaults. */
import { Config, Redacted, Schema } from "effect"
import * as ArbitrumSettings from "./ArbitrumSettings.ts"
import * as BankSettings from "./BankSettings.ts"
import * as TronSettings from "./TronSettings.ts"

export const onOff = (name: string, usual: "on" | "off" = "on") =>
  Config.Literals(["on", "off"], name).pipe(
    Config.withDefault(usual),
    Config.map((value) => value === "on")
  )

const list = (name: string, usual = "") => Config.String(name).pipe(Config.withDefault(usual), Config.map(apart))

/** The first is used. Others are accepted beside it, while one replaces another. */
export const keys = (name: string) =>
  Config.Redacted(name).pipe(
    Config.withDefault(Redacted.make("")),
    Config.map((all) => apart(Redacted.value(all)).map((key) => Redacted.make(key)))
  )

const apart = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")

const hours = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8_760 }))

export const newAddressHoldHours = (usual: number) =>
  Config.schema(Schema.NumberFromString.pipe(Schema.decodeTo(hours)), "VENUE_NEW_ADDRESS_HOLD_HOURS").pipe(
    Config.withDefault(usual)
  )

/** Whoever asks for it by a form sends no `apikey`. */
export const publicFormRefresh = (usual: "on" | "off") => onOff("VENUE_PUBLIC_FORM_REFRESH", usual)

export const shared = {
  environment: Config.Literals(["development", "preproduction", "production"], "VENUE_ENVIRONMENT").pipe(
    Config.withDefault("development" as const)
  ),
  host: Config.String("VENUE_HOST").pipe(Config.withDefault("127.0.0.1")),
  brand: Config.String("VENUE_BRAND").pipe(Config.withDefault("svc")),
  keyPrefix: Config.String("VENUE_KEY_PREFIX").pipe(Config.withDefault("svc_test")),
  restPort: Config.Port("VENUE_REST_PORT").pipe(Config.withDefault(4000)),
  fundingPort: Config.Port("VENUE_FUNDING_PORT").pipe(Config.withDefault(4001)),
  authPort: Config.Port("VENUE_AUTH_PORT").pipe(Config.withDefault(4002)),
  tradePort: Config.Port("VENUE_TRADE_PORT").pipe(Config.withDefault(4003)),
  marketDataPort: Config.Port("VENUE_MARKET_DATA_PORT").pipe(Config.withDefault(4004)),
  adminPort: Config.Port("VENUE_ADMIN_PORT").pipe(Config.withDefault(4005)),
  simulatedPrices: onOff("VENUE_SIMULATED_PRICES"),
  simulatedRails: onOff("VENUE_SIMULATED_RAILS"),
  railPollMillis: Config.Int("VENUE_RAIL_POLL_MILLIS").pipe(Config.withDefault(1_000)),
  priceSources: Config.option(Config.String("VENUE_PRICE_SOURCES")),
  rateLimits: onOff("VENUE_RATE_LIMITS"),
  desks: Config.Int("VENUE_DESKS").pipe(Config.withDefault(16)),
  maxOpenOrdersPerSymbol: Config.Int("VENUE_MAX_OPEN_ORDERS_PER_SYMBOL").pipe(Config.withDefault(200)),
  maxOpenOrdersPerAccount: Config.Int("VENUE_MAX_OPEN_ORDERS_PER_ACCOUNT").pipe(Config.withDefault(1_000)),
  /** Of REST; on wherever people are served, unless it says otherwise. */
  accessLog: Config.option(Config.Literals(["on", "off"], "VENUE_ACCESS_LOG")),
  secretKey: Config.option(Config.Redacted("VENUE_SECRET_KEY")),
  publicRestUrl: Config.option(Config.String("VENUE_PUBLIC_REST_URL")),
  publicFundingUrl: Config.option(Config.String("VENUE_PUBLIC_FUNDING_URL")),
  publicAuthUrl: Config.option(Config.String("VENUE_PUBLIC_AUTH_URL")),
  publicTradeUrl: Config.option(Config.String("VENUE_PUBLIC_TRADE_URL")),
  publicMarketDataUrl: Config.option(Config.String("VENUE_PUBLIC_MARKET_DATA_URL")),
  trustedProxies: list("VENUE_TRUSTED_PROXIES"),
  countryHeader: Config.option(Config.String("VENUE_COUNTRY_HEADER")),
  serviceName: Config.String("VENUE_SERVICE_NAME").pipe(Config.withDefault("Venue")),
  walletSignIn: onOff("VENUE_WALLET_SIGN_IN"),
  lowercaseAddresses: onOff("VENUE_LOWERCASE_ADDRESSES", "off"),
  signInUris: list("VENUE_SIGN_IN_URI"),
  builderUri: Config.String("VENUE_BUILDER_URI").pipe(Config.withDefault("https://app.venue.example/builder")),
  builderCodes: Config.Literals(["open", "reviewed"], "VENUE_BUILDER_CODES").pipe(Config.withDefault("open" as const)),
  /** What builder messages are proven with; without any the venue's secret key is. */
  builderKeys: keys("VENUE_BUILDER_KEY"),
  /** Messages link to the first; those that link to another are accepted too. */
  clientAgreementUrls: list("VENUE_CLIENT_AGREEMENT_URL", "https://venue.example/legal/client-agreement"),
  termsVersion: Config.String("VENUE_TERMS_VERSION").pipe(Config.withDefault("1")),
  blockedCountries: list("VENUE_BLOCKED_COUNTRIES"),
  newAddressHoldHours: newAddressHoldHours(24),
  secondFactorToFund: onOff("VENUE_SECOND_FACTOR_TO_FUND", "off"),
  publicFormRefresh: publicFormRefresh("off"),
  webhookLoopback: onOff("VENUE_WEBHOOK_LOOPBACK", "off"),
  /** Whole USD. */
  twoPeopleAbove: Config.Int("VENUE_TWO_PEOPLE_ABOVE").pipe(Config.withDefault(250_000)),
  captcha: Config.Literals(["never", "risk", "always"], "VENUE_CAPTCHA").pipe(Config.withDefault("never" as const)),
  captchaProvider: Config.Literals(["turnstile", "hcaptcha"], "VENUE_CAPTCHA_PROVIDER").pipe(
    Config.withDefault("turnstile" as const)
  ),
  captchaSiteKey: Config.option(Config.String("VENUE_CAPTCHA_SITE_KEY")),
  captchaSecret: Config.option(Config.Redacted("VENUE_CAPTCHA_SECRET")),
  identityUrl: Config.option(Config.String("VENUE_IDENTITY_URL")),
  identityKey: Config.Redacted("VENUE_IDENTITY_KEY").pipe(Config.withDefault(Redacted.make(""))),
  identityCallbackKey: Config.Redacted("VENUE_IDENTITY_CALLBACK_KEY").pipe(Config.withDefault(Redacted.make(""))),
  arbitrum: ArbitrumSettings.all,
  tron: TronSettings.all,
  bank: BankSettings.all
}
const all = Config.all(shared)
/** Nothing here is about one process and no other. */
export type SharedSettings = Config.Success<typeof all>
