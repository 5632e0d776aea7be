/** The main REST interface as one description. */
import { HttpApi, OpenApi } from "effect/http-api"
import { InvalidRequest } from "../InvalidRequest.ts"
import { ErrorModel } from "../Problem.ts"
import { version } from "../Version.ts"
import { AggregatorGroup } from "./Aggregator.ts"
import { ApiKeysGroup } from "./ApiKeys.ts"
import { BuilderCodeGroup } from "./BuilderCode.ts"
import { BuilderWalletGroup } from "./BuilderWallet.ts"
import { CandlesGroup } from "./Candles.ts"
import { FundingRatesGroup } from "./FundingRates.ts"
import { FuturesGroup } from "./Futures.ts"
import { HealthGroup } from "./Health.ts"
import { HistoricOrdersGroup } from "./HistoricOrders.ts"
import { HistoricTwapsGroup } from "./HistoricTwaps.ts"
import { LeverageGroup } from "./Leverage.ts"
import { LongShortGroup } from "./LongShort.ts"
import { OnboardingGroup } from "./Onboarding.ts"
import { OpenInterestGroup } from "./OpenInterest.ts"
import { OrderPreviewGroup } from "./OrderPreview.ts"
import { PositionsGroup } from "./Positions.ts"
import { ProfileGroup } from "./Profile.ts"
import { RefdataGroup } from "./Refdata.ts"
import { SubaccountsGroup } from "./Subaccounts.ts"
import { SymbolMetricsGroup } from "./SymbolMetrics.ts"
import { TakerVolumeGroup } from "./TakerVolume.ts"
import { TradeGroup } from "./Trade.ts"
import { TransferGroup } from "./Transfer.ts"
import { UnderlierGroup } from "./Underlier.ts"

export class Api extends HttpApi.make("venue")
  .add(RefdataGroup, PositionsGroup, TradeGroup, LeverageGroup, OrderPreviewGroup, HealthGroup)
  .add(OnboardingGroup, ProfileGroup, BuilderCodeGroup, BuilderWalletGroup)
  .add(ApiKeysGroup, SubaccountsGroup, TransferGroup)
  .add(CandlesGroup, UnderlierGroup, FundingRatesGroup, OpenInterestGroup, TakerVolumeGroup, LongShortGroup)
  .add(FuturesGroup, SymbolMetricsGroup, AggregatorGroup)
  .add(HistoricOrdersGroup, HistoricTwapsGroup)
  .middleware(InvalidRequest)
  .annotateMerge(OpenApi.annotations({ title: "Venue", version }))
  .annotate(HttpApi.AdditionalSchemas, [ErrorModel])
  // Every fault of a request is told at once, and a body may hold nothing we do not know.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" }) {}
