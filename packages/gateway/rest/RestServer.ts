/** The main REST interface on its port. */
import { headerName } from "@venue/api/Headers"
import { problems, schemaUri } from "@venue/api/Problem"
import * as InvalidRequest from "@venue/api/InvalidRequest"
import { Api } from "@venue/api/rest/Api"
import { document } from "@venue/api/rest/Document"
import { ruleOf } from "@venue/auth/access/Permission"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import * as RateLimits from "@venue/domain/RateLimits"
import { restRates } from "@venue/domain/RestRates"
import { Clock, Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { group } from "../http/Endpoints.ts"
import * as ClientAddress from "../http/ClientAddress.ts"
import { Health } from "../http/Health.ts"
import * as AccountEquity from "./AccountEquity.ts"
import * as Aggregator from "./Aggregator.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as Authentication from "../http/Authentication.ts"
import * as BuilderCode from "./BuilderCode.ts"
import * as BuilderWallet from "./BuilderWallet.ts"
import * as Candles from "./Candles.ts"
import { Charts } from "./Charts.ts"
import { crossOrigin } from "../http/Cors.ts"
import { routesOf } from "../http/Gate.ts"
import * as Fees from "./Fees.ts"
import * as FundingRates from "./FundingRates.ts"
import * as Futures from "./Futures.ts"
import * as HistoricOrders from "./HistoricOrders.ts"
import * as HistoricTwaps from "./HistoricTwaps.ts"
import * as HttpListener from "../http/HttpListener.ts"
import * as Invitations from "./Invitations.ts"
import * as Leverage from "./Leverage.ts"
import { Lists } from "./Lists.ts"
import * as LongShort from "./LongShort.ts"
import * as Onboarding from "./Onboarding.ts"
import * as OpenInterest from "./OpenInterest.ts"
import * as OrderPreview from "./OrderPreview.ts"
import * as Pages from "./Pages.ts"
import * as Pnl from "./Pnl.ts"
import * as PnlHours from "./PnlHours.ts"
import * as Positions from "./Positions.ts"
import * as Profile from "./Profile.ts"
import * as PublicPositions from "./PublicPositions.ts"
import * as Refdata from "./Refdata.ts"
import * as ReferralRewards from "./ReferralRewards.ts"
import * as RequestCharge from "../http/RequestCharge.ts"
import * as RequestId from "../http/RequestId.ts"
import * as SocketPages from "./SocketPages.ts"
import * as Subaccounts from "./Subaccounts.ts"
import * as SymbolMetrics from "./SymbolMetrics.ts"
import * as TakerVolume from "./TakerVolume.ts"
import * as Trade from "./Trade.ts"
import * as Transfer from "./Transfer.ts"
import * as Underlier from "./Underlier.ts"
import * as Volume from "./Volume.ts"

export interface RestServerOptions {
  readonly host: string
  readonly port: number
  /** The operator's prefix of headers. */
  readonly brand: string
  /** Where clients find it, when that is not where it listens. */
  readonly publicUrl?: string | undefined
  /** Where clients find the sockets that it describes. */
  readonly sockets: SocketPages.SocketUrls
  /** Addresses and networks of proxies of ours, that say whose request they pass on. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** In which the proxy that speaks to us writes the country the request comes from, as two letters. */
  readonly countryHeader?: string | undefined
  /** Whether each request is told in the log. */
  readonly accessLog?: boolean
}

export const open = Effect.fn("RestServer.open")(function* (options: RestServerOptions) {
  const clock = yield* Clock.Clock
  const { rateLimits } = yield* VenueSettings
  const { accessLog = false, brand, countryHeader, sockets, trustedProxies = [] } = options
  const addressOf = ClientAddress.from(trustedProxies)
  const countryOf = ClientAddress.countryFrom(trustedProxies, countryHeader)
  const limits = RateLimits.make({
    ...restRates.requests,
    enabled: rateLimits,
    nowMillis: () => clock.currentTimeMillisUnsafe()
  })
  const routes = [...routesOf(Api), ...Onboarding.callbackRoutes, ...Pages.routes, ...SocketPages.routes]
  const serverTime = headerName(brand, "server-time")
  return yield* HttpListener.listen({ ...options, what: "the REST interface" }, (baseUrl) => {
    const { admit, quotaHeaders } = RequestCharge.of({ baseUrl, routes, limits, addressOf })
    return {
      crossOrigin: crossOrigin(brand),
      layer: Layer.merge(site({ baseUrl, brand, limits, addressOf, countryOf }), SocketPages.layer(brand, sockets)),
      routes,
      admit,
      idOf: RequestId.from(trustedProxies),
      // What is for everybody, and whole tables. An account's figures beside what a page of another site asked are not.
      isGzipped: (route) => RequestCharge.payerOf(route) === "address" || route.path.endsWith("-csv"),
      accessLog,
      answerHeaders: (request, notes, status) => ({
        ...quotaHeaders(request, notes),
        ...(status === 401 ? { [serverTime]: String(clock.currentTimeMillisUnsafe()) } : undefined)
      })
    }
  })
})

const site = ({ baseUrl, brand, ...rest }: Authentication.AuthenticationOptions) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(
      Layer.provide([
        Refdata.layer(baseUrl),
        Positions.layer(baseUrl),
        lists(baseUrl),
        PublicPositions.layer(baseUrl),
        Pnl.layer(baseUrl),
        PnlHours.layer(baseUrl),
        AccountEquity.layer(baseUrl),
        Volume.layer(baseUrl),
        Fees.layer(baseUrl),
        Leverage.layer(baseUrl),
        OrderPreview.layer(baseUrl),
        ApiKeys.layer(baseUrl),
        Subaccounts.layer(baseUrl),
        Transfer.layer(baseUrl),
        Invitations.layer(baseUrl),
        ReferralRewards.layer(baseUrl),
        Onboarding.layer(baseUrl),
        Profile.layer(baseUrl),
        BuilderCode.layer({ baseUrl, brand }),
        BuilderWallet.layer({ baseUrl, addressOf: rest.addressOf }),
        charts(baseUrl),
        Futures.layer({ baseUrl, brand }),
        SymbolMetrics.layer(baseUrl),
        Aggregator.layer(baseUrl),
        health(baseUrl)
      ]),
      Layer.provide(Authentication.layer({ baseUrl, brand, ...rest })),
      Layer.provide(InvalidRequest.layer(problems(baseUrl)))
    ),
    Onboarding.callback(baseUrl),
    Pages.layer(baseUrl, document({ baseUrl, brand, accessOf: ruleOf }))
  )

const lists = (baseUrl: string) =>
  Layer.mergeAll(Trade.layer(baseUrl), HistoricOrders.layer(baseUrl), HistoricTwaps.layer(baseUrl)).pipe(
    Layer.provide(Lists.layer(baseUrl))
  )

const charts = (baseUrl: string) =>
  Layer.mergeAll(
    Candles.layer(baseUrl),
    Underlier.layer(baseUrl),
    FundingRates.layer(baseUrl),
    OpenInterest.layer(baseUrl),
    TakerVolume.layer(baseUrl),
    LongShort.layer(baseUrl)
  ).pipe(Layer.provide(Charts.layer(baseUrl)))

const health = (baseUrl: string) =>
  group(
    Api,
    "health",
    Effect.fnUntraced(function* (handlers) {
      const { ready } = yield* Health
      const $schema = schemaUri(baseUrl, "Health")
      return handlers
        .handle("live", () => Effect.succeed({ $schema, status: "live" as const }))
        .handle("ready", () =>
          Effect.suspend(() =>
            ready() ? Effect.succeed({ $schema, status: "ready" as const }) : Effect.fail(problems(baseUrl).draining())
          )
        )
    })
  )
