/** A venue's listeners, each on its own port. */
import { headerValue } from "@venue/api/Headers"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { RateLimits } from "@venue/domain/RateLimits"
import * as AdminServer from "@venue/gateway/admin/AdminServer"
import { SettingRules } from "@venue/gateway/admin/Settings"
import * as AuthServer from "@venue/gateway/auth/AuthServer"
import * as ApiListener from "@venue/gateway/http/ApiListener"
import * as ClientAddress from "@venue/gateway/http/ClientAddress"
import * as Pages from "@venue/gateway/auth/Pages"
import { Health } from "@venue/gateway/http/Health"
import { urlOf } from "@venue/gateway/http/Listening"
import { MarketDataGateway } from "@venue/gateway/marketData/MarketDataGateway"
import * as RestServer from "@venue/gateway/rest/RestServer"
import * as Socket from "@venue/gateway/socket/Socket"
import * as SocketBudget from "@venue/gateway/socket/SocketBudget"
import * as SocketMetrics from "@venue/gateway/socket/SocketMetrics"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import * as TreasuryServer from "@venue/gateway/treasury/TreasuryServer"
import * as CaptchaWidget from "@venue/providers/CaptchaWidget"
import { LivingGateways } from "@venue/storage/nodes/LivingGateways"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import { Clock, Effect, Option, Scope } from "effect"
import * as AuthPlace from "./AuthPlace.ts"
import * as BankSettings from "./BankSettings.ts"
import * as RunningRules from "./RunningRules.ts"
import type { SharedSettings } from "./Settings.ts"

export interface ListenersOptions {
  /** Result of `AdminListener.read`. */
  readonly admin?: Pick<AdminServer.AdminServerOptions, "host" | "tls" | "allow">
  /** Keys of the pages. Pages send the first key, and all keys are accepted. */
  readonly authClientKeys: ReadonlyArray<string>
}

/** Opens the listeners. They close in parallel, so that each listener's in-flight requests get the full time. */
export const open = Effect.fn("Listeners.open")(function* (
  settings: SharedSettings,
  { admin, authClientKeys }: ListenersOptions
) {
  const trade = yield* TradeGateway
  const marketData = yield* MarketDataGateway
  const { rateLimits } = yield* VenueSettings
  const { now } = yield* RunningSettings
  const health = yield* Health
  const { brand, host, trustedProxies } = settings
  const countryHeader = Option.getOrUndefined(settings.countryHeader)
  const addresses = yield* Scope.fork(yield* Effect.scope, "parallel")
  const opened = <A, E, R>(listener: Effect.Effect<A, E, R | Scope.Scope>) =>
    Effect.flatMap(Scope.fork(addresses, "sequential"), (scope) => Scope.provide(listener, scope))
  const limits = yield* ApiListener.addressLimits
  const rest = yield* opened(RestServer.open({ ...commonOf(settings, limits), ...restOf(settings) }))
  const bankWebhookSecret = yield* BankSettings.webhookSecretOf(settings.bank)
  const funding = yield* opened(
    TreasuryServer.open({
      ...commonOf(settings, limits),
      ...fundingOf(settings),
      newAddressHoldHours: () => now().newAddressHoldHours,
      bankWebhookSecret
    })
  )
  yield* opened(auth(settings, authClientKeys, rateLimits))
  const addressOf = ClientAddress.ofUpgrade(trustedProxies)
  const countryOf = ClientAddress.countryOfUpgrade(trustedProxies, countryHeader)
  const operator = yield* opened(
    AdminServer.open({ ...admin, token: () => now().adminToken, port: settings.adminPort }).pipe(
      Effect.provideService(SettingRules, RunningRules.flawOf(settings, now))
    )
  )
  const clock = yield* Clock.Clock
  const budgets = SocketBudget.make({
    limits: rateLimits,
    nowMillis: () => clock.currentTimeMillisUnsafe(),
    livingGateways: yield* LivingGateways
  })
  yield* SocketMetrics.collect(budgets)
  const tradeListener = yield* opened(
    Socket.listen({
      what: "the trade socket",
      host,
      port: settings.tradePort,
      budget: budgets.trade,
      restUrl: rest.url,
      addressOf,
      accept: (transport, request) =>
        trade.open(
          transport,
          headerValue(request.headers as Record<string, string | undefined>, brand, "builder-code") ?? "",
          addressOf(request),
          countryOf(request)
        ),
      answer: health.answer(rest.url)
    })
  )
  const marketDataListener = yield* opened(
    Socket.listen({
      what: "the market-data socket",
      host,
      port: settings.marketDataPort,
      budget: budgets.marketData,
      restUrl: rest.url,
      addressOf,
      accept: (transport) => marketData.open(transport),
      answer: health.answer(rest.url)
    })
  )
  return {
    rest: rest.url,
    funding: funding.url,
    auth: AuthPlace.of(settings).url,
    trade: Option.getOrElse(settings.publicTradeUrl, () => urlOf("ws", host, tradeListener.port)),
    market_data: Option.getOrElse(settings.publicMarketDataUrl, () => urlOf("ws", host, marketDataListener.port)),
    admin: operator.url
  }
})

/** Returns the options of every HTTP interface. A client's IP address has one rate-limit bucket for all of them. */
const commonOf = (settings: SharedSettings, limits: RateLimits) => ({
  host: settings.host,
  brand: settings.brand,
  trustedProxies: settings.trustedProxies,
  countryHeader: Option.getOrUndefined(settings.countryHeader),
  accessLog: logsRequests(settings),
  limits
})

const restOf = ({ host, marketDataPort, publicMarketDataUrl, publicTradeUrl, ...settings }: SharedSettings) => ({
  port: settings.restPort,
  publicUrl: Option.getOrUndefined(settings.publicRestUrl),
  areBuilderCodesReviewed: settings.builderCodes === "reviewed",
  sockets: {
    trade: Option.getOrElse(publicTradeUrl, () => urlOf("ws", host, settings.tradePort)),
    marketData: Option.getOrElse(publicMarketDataUrl, () => urlOf("ws", host, marketDataPort))
  }
})

const fundingOf = ({ fundingPort, publicFundingUrl }: SharedSettings) => ({
  port: fundingPort,
  publicUrl: Option.getOrUndefined(publicFundingUrl)
})

const logsRequests = ({ accessLog, environment }: SharedSettings): boolean =>
  Option.match(accessLog, { onNone: () => environment !== "development", onSome: (value) => value === "on" })

const auth = Effect.fnUntraced(function* (
  settings: SharedSettings,
  clientKeys: ReadonlyArray<string>,
  limits: boolean
) {
  const { brand, host, publicFormRefresh, serviceName, trustedProxies } = settings
  const { issuer, url } = AuthPlace.of(settings)
  yield* AuthServer.open({
    host,
    port: settings.authPort,
    brand,
    issuer,
    consentOrigin: new URL(url).origin,
    clientKeys,
    captcha: settings.captcha,
    limits,
    trustedProxies,
    allowPublicFormRefresh: publicFormRefresh,
    pages: Pages.make({ serviceName, clientKey: clientKeys[0]!, issuer, ...(yield* captchaOf(settings)) })
  })
})

/**
 * Production requires the site key. In development, pages other than the venue's own are allowed to show the CAPTCHA.
 */
const captchaOf = Effect.fnUntraced(function* ({ captcha, captchaProvider, captchaSiteKey }: SharedSettings) {
  if (captcha === "never") return {}
  if (Option.isSome(captchaSiteKey)) {
    const widget = CaptchaWidget.make(captchaProvider, captchaSiteKey.value)
    return { captcha: { ...widget, atOnce: captcha === "always" } }
  }
  yield* Effect.logWarning(
    `users cannot sign in on the venue's own page when it requires a CAPTCHA: VENUE_CAPTCHA is ${captcha} and VENUE_CAPTCHA_SITE_KEY is not set`
  )
  return {}
})
