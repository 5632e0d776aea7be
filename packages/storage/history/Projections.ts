/** All groups of tables for queries. A new group needs a file, a migration, and an entry in one of these lists. */
import type { Instrument } from "@venue/domain/Instrument"
import * as Candles from "./Candles.ts"
import * as DailyFees from "./DailyFees.ts"
import * as DailyVolumes from "./DailyVolumes.ts"
import * as FundingRates from "./FundingRates.ts"
import * as Holders from "./Holders.ts"
import * as Holdings from "./Holdings.ts"
import * as LedgerEntries from "./LedgerEntries.ts"
import type { MarketProjection, TraderProjection } from "./Projection.ts"
import * as Prices from "./Prices.ts"
import * as ReferralRewards from "./ReferralRewards.ts"
import * as Trading from "./Trading.ts"
import * as Twaps from "./Twaps.ts"

export const ofMarket = (instrument: Instrument): ReadonlyArray<MarketProjection> => [
  Trading.projection,
  DailyVolumes.projection,
  DailyFees.projection,
  Twaps.projection,
  Candles.projection,
  Prices.projection,
  FundingRates.projection,
  Holders.projection,
  Holdings.projection(instrument)
]

export const ofTraders: ReadonlyArray<TraderProjection> = [LedgerEntries.projection, ReferralRewards.projection]
