/** The main REST interface on its port. */
import { Api } from "@venue/api/rest/Api"
import { document } from "@venue/api/rest/Document"
import { ruleOf } from "@venue/auth/access/Permission"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { network } from "../http/ClientAddress.ts"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { invalidRequest } from "../http/ProblemRefusals.ts"
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
  /** Public URLs of the sockets, for the AsyncAPI documents. */
  readonly sockets: SocketPages.SocketUrls
  /** True if an operator reviews new builder codes; otherwise new codes are active at once. */
  readonly areBuilderCodesReviewed?: boolean
}

export const open = Effect.fn("RestServer.open")(
  ({ areBuilderCodesReviewed = false, sockets, ...options }: RestServerOptions) =>
    ApiListener.listen(options, {
      what: "the REST interface",
      routes: [...routesOf(Api), ...Onboarding.callbackRoutes, ...Pages.routes, ...SocketPages.routes],
      layer: (authentication) =>
        Layer.merge(site(authentication, areBuilderCodesReviewed), SocketPages.layer(options.brand, sockets)),
      // CSV files are also compressed, because they hold whole tables.
      isGzipped: ({ path }) => path.endsWith("-csv")
    })
)

const site = ({ brand, ...rest }: Authentication.AuthenticationOptions, areReviewed: boolean) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(
      Layer.provide([
        Refdata.layer,
        Positions.layer,
        lists,
        PublicPositions.layer,
        BuilderGrants.layer,
        publicReads(rest),
        Pnl.layer,
        PnlHours.layer,
        AccountEquity.layer,
        Volume.layer,
        Fees.layer,
        Fees.base,
        Leverage.layer,
        OrderPreview.layer,
        ApiKeys.layer,
        Subaccounts.layer,
        Transfer.layer,
        Invitations.layer,
        ReferralRewards.layer,
        Onboarding.layer,
        Profile.layer,
        BuilderCode.layer({ brand, areReviewed }),
        BuilderWallet.layer({ addressOf: rest.addressOf }),
        charts(rest),
        Futures.layer({ brand }),
        SymbolMetrics.layer,
        Aggregator.layer,
        group(Api, "health", (handlers) => Effect.map(HealthPages.answers, (answers) => handlers.handleAll(answers)))
      ]),
      Layer.provide(Authentication.layer({ brand, ...rest })),
      Layer.provide(invalidRequest)
    ),
    Onboarding.callback,
    Pages.layer((baseUrl) => document({ baseUrl, brand, accessOf: ruleOf }))
  )

const lists = Layer.mergeAll(Trade.layer, HistoricOrders.layer, HistoricTwaps.layer).pipe(Layer.provide(Lists.layer))

type AddressOptions = Pick<Authentication.AuthenticationOptions, "addressOf" | "limits">

const sender = ({ addressOf }: Pick<AddressOptions, "addressOf">) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => network(addressOf(request)))

const makeChargeMore = ({ addressOf, limits }: AddressOptions) =>
  Effect.map(
    apiProblems,
    (refusals): Refusal.ChargeMore =>
      (weight) =>
        Effect.flatMap(sender({ addressOf }), (from) => Refusal.spend(refusals, limits, from, weight))
  )

/** Endpoints that share the limit of public queries. */
const publicReads = (options: AddressOptions) =>
  Layer.mergeAll(PublicTrades.layer(makeChargeMore(options)), DefiLlama.layer, Leaderboard.layer).pipe(
    Layer.provide(PublicReads.layer)
  )

const charts = (options: AddressOptions) =>
  Layer.mergeAll(
    Candles.layer,
    Underlier.layer,
    FundingRates.layer,
    OpenInterest.layer,
    TakerVolume.layer,
    LongShort.layer
  ).pipe(Layer.provide(Charts.layer({ makeChargeMore: makeChargeMore(options), sender: sender(options) })))
