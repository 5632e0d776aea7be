/** The main REST interface. */
import { HttpApi, OpenApi } from "effect/http-api"
import { InvalidRequest } from "../InvalidRequest.ts"
import { ErrorModel } from "../Problem.ts"
import { version } from "../Version.ts"
import { AccountEquityGroup } from "./AccountEquity.ts"
import { AggregatorGroup } from "./Aggregator.ts"
import { ApiKeysGroup } from "./ApiKeys.ts"
import { BuilderCodeGroup } from "./BuilderCode.ts"
import { BuilderGrantsGroup } from "./BuilderGrants.ts"
import { BuilderWalletGroup } from "./BuilderWallet.ts"
import { CandlesGroup } from "./Candles.ts"
import { DefiLlamaGroup } from "./DefiLlama.ts"
import { BaseFeesGroup, FeesGroup } from "./Fees.ts"
import { FundingRatesGroup } from "./FundingRates.ts"
import { FuturesGroup } from "./Futures.ts"
import { HealthGroup } from "./Health.ts"
import { HistoricOrdersGroup } from "./HistoricOrders.ts"
import { HistoricTwapsGroup } from "./HistoricTwaps.ts"
import { InvitationsGroup } from "./Invitations.ts"
import { LeaderboardGroup } from "./Leaderboard.ts"
import { LeverageGroup } from "./Leverage.ts"
import { LongShortGroup } from "./LongShort.ts"
import { OnboardingGroup } from "./Onboarding.ts"
import { OpenInterestGroup } from "./OpenInterest.ts"
import { OrderPreviewGroup } from "./OrderPreview.ts"
import { PnlGroup } from "./Pnl.ts"
import { PnlHoursGroup } from "./PnlHours.ts"
import { PositionsGroup } from "./Positions.ts"
import { ProfileGroup } from "./Profile.ts"
import { PublicPositionsGroup } from "./PublicPositions.ts"
import { PublicTradesGroup } from "./PublicTrades.ts"
import { RefdataGroup } from "./Refdata.ts"
import { ReferralRewardsGroup } from "./ReferralRewards.ts"
import { SubaccountsGroup } from "./Subaccounts.ts"
import { SymbolMetricsGroup } from "./SymbolMetrics.ts"
import { TakerVolumeGroup } from "./TakerVolume.ts"
import { TradeGroup } from "./Trade.ts"
import { TransferGroup } from "./Transfer.ts"
import { UnderlierGroup } from "./Underlier.ts"
import { VolumeGroup } from "./Volume.ts"

/** The main REST interface with all its groups of operations. */
export class Api extends HttpApi.make("venue")
  .add(RefdataGroup, PositionsGroup, TradeGroup, LeverageGroup, OrderPreviewGroup, HealthGroup)
  .add(OnboardingGroup, ProfileGroup, BuilderCodeGroup, BuilderWalletGroup)
  .add(ApiKeysGroup, SubaccountsGroup, TransferGroup, InvitationsGroup, ReferralRewardsGroup)
  .add(CandlesGroup, UnderlierGroup, FundingRatesGroup, OpenInterestGroup, TakerVolumeGroup, LongShortGroup)
  .add(FuturesGroup, SymbolMetricsGroup, AggregatorGroup)
  .add(HistoricOrdersGroup, HistoricTwapsGroup)
  .add(
    PnlGroup,
    PnlHoursGroup,
    AccountEquityGroup,
    VolumeGroup,
    FeesGroup,
    BaseFeesGroup,
    PublicPositionsGroup,
    PublicTradesGroup,
    BuilderGrantsGroup,
    DefiLlamaGroup,
    LeaderboardGroup
  )
  .middleware(InvalidRequest)
  .annotateMerge(OpenApi.annotations({ title: "Venue", version }))
  .annotate(HttpApi.AdditionalSchemas, [ErrorModel])
  // Reports all faults of a request together, and refuses unknown body members.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" }) {}
