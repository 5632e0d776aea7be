/** The main REST interface on its port. */
import { problems } from "@venue/api/Problem"
import * as InvalidRequest from "@venue/api/InvalidRequest"
import { Api } from "@venue/api/rest/Api"
import { document } from "@venue/api/rest/Document"
import { ruleOf } from "@venue/auth/access/Permission"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { network } from "../http/ClientAddress.ts"
import * as Refusal from "../http/Refusal.ts"
import { group } from "../http/Endpoints.ts"
import * as AccountEquity from "./AccountEquity.ts"
import * as Aggregator from "./Aggregator.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as ApiListener from "../http/ApiListener.ts"
import * as Authentication from "../http/Authentication.ts"
import * as BuilderCode from "./BuilderCode.ts"
import * as BuilderGrants from "./BuilderGrants.ts"
import * as BuilderWallet from "./BuilderWallet.ts"
import * as Candles from "./Candles.ts"
import { Charts } from "./Charts.ts"
import { routesOf } from "../http/Gate.ts"
import * as HealthPages from "../http/HealthPages.ts"
import * as DefiLlama from "./DefiLlama.ts"
import * as Fees from "./Fees.ts"
import * as FundingRates from "./FundingRates.ts"
import * as Futures from "./Futures.ts"
import * as HistoricOrders from "./HistoricOrders.ts"
import * as HistoricTwaps from "./HistoricTwaps.ts"
import * as Invitations from "./Invitations.ts"
import * as Leaderboard from "./Leaderboard.ts"
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
import { PublicReads } from "./PublicReads.ts"
import * as PublicTrades from "./PublicTrades.ts"
import * as Refdata from "./Refdata.ts"
import * as ReferralRewards from "./ReferralRewards.ts"
import * as SocketPages from "./SocketPages.ts"
import * as Subaccounts from "./Subaccounts.ts"
import * as SymbolMetrics from "./SymbolMetrics.ts"
import * as TakerVolume from "./TakerVolume.ts"
import * as Trade from "./Trade.ts"
import * as Transfer from "./Transfer.ts"
import * as Underlier from "./Underlier.ts"
import * as Volume from "./Volume.ts"

export interface RestServerOptions extends ApiListener.ApiListenerOptions {
  /** Where clients find the sockets that it describes. */
  readonly sockets: SocketPages.SocketUrls
  /** New builder codes wait for the operator; without it they are active at once. */
  readonly areBuilderCodesReviewed?: boolean
}

export const open = Effect.fn("RestServer.open")(
  ({ areBuilderCodesReviewed = false, sockets, ...options }: RestServerOptions) =>
    ApiListener.listen(options, {
      what: "the REST interface",
      routes: [...routesOf(Api), ...Onboarding.callbackRoutes, ...Pages.routes, ...SocketPages.routes],
      layer: (authentication) =>
        Layer.merge(site(authentication, areBuilderCodesReviewed), SocketPages.layer(options.brand, sockets)),
      // Whole tables.
      isGzipped: ({ path }) => path.endsWith("-csv")
    })
)

const site = ({ baseUrl, brand, ...rest }: Authentication.AuthenticationOptions, areReviewed: boolean) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(
      Layer.provide([
        Refdata.layer(baseUrl),
        Positions.layer(baseUrl),
        lists(baseUrl),
        PublicPositions.layer(baseUrl),
        BuilderGrants.layer(baseUrl),
        publicReads(baseUrl, chargeMore(baseUrl, rest)),
        Pnl.layer(baseUrl),
        PnlHours.layer(baseUrl),
        AccountEquity.layer(baseUrl),
        Volume.layer(baseUrl),
        Fees.layer(baseUrl),
        Fees.base(baseUrl),
        Leverage.layer(baseUrl),
        OrderPreview.layer(baseUrl),
        ApiKeys.layer(baseUrl),
        Subaccounts.layer(baseUrl),
        Transfer.layer(baseUrl),
        Invitations.layer(baseUrl),
        ReferralRewards.layer(baseUrl),
        Onboarding.layer(baseUrl),
        Profile.layer(baseUrl),
        BuilderCode.layer({ baseUrl, brand, areReviewed }),
        BuilderWallet.layer({ baseUrl, addressOf: rest.addressOf }),
        charts(baseUrl, rest),
        Futures.layer({ baseUrl, brand }),
        SymbolMetrics.layer(baseUrl),
        Aggregator.layer(baseUrl),
        group(Api, "health", (handlers) =>
          Effect.map(HealthPages.answers(baseUrl), (answers) => handlers.handleAll(answers))
        )
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

type AddressOptions = Pick<Authentication.AuthenticationOptions, "addressOf" | "limits">

const sender = ({ addressOf }: Pick<AddressOptions, "addressOf">) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => network(addressOf(request)))

const chargeMore =
  (baseUrl: string, { addressOf, limits }: AddressOptions): Refusal.ChargeMore =>
  (weight) =>
    Effect.flatMap(sender({ addressOf }), (from) => Refusal.spend(problems(baseUrl), limits, from, weight))

/** Endpoints that share the public queries. */
const publicReads = (baseUrl: string, charge: Refusal.ChargeMore) =>
  Layer.mergeAll(PublicTrades.layer(baseUrl, charge), DefiLlama.layer(baseUrl), Leaderboard.layer(baseUrl)).pipe(
    Layer.provide(PublicReads.layer)
  )

const charts = (baseUrl: string, options: AddressOptions) =>
  Layer.mergeAll(
    Candles.layer(baseUrl),
    Underlier.layer(baseUrl),
    FundingRates.layer(baseUrl),
    OpenInterest.layer(baseUrl),
    TakerVolume.layer(baseUrl),
    LongShort.layer(baseUrl)
  ).pipe(Layer.provide(Charts.layer(baseUrl, { chargeMore: chargeMore(baseUrl, options), sender: sender(options) })))
