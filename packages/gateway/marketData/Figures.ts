/** The figures of each market by what this gateway has heard of it. */
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { Instrument } from "@venue/domain/Instrument"
import type { Priced } from "@venue/domain/Market"
import { isLive } from "@venue/domain/MarketHours"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { PriceRange } from "@venue/domain/PriceBand"
import * as Sampling from "@venue/domain/Sampling"
import { Clock, Effect } from "effect"

/** Of a market that has a price. */
export interface Figures {
  readonly instrument: Instrument
  readonly prices: Priced
  readonly openInterestLots: number
  /** What the band and the bounds of the day both let in. */
  readonly range: PriceRange
  /** In 1e-12 of the value: what the hour would come to if it ended now (rule 10.7). */
  readonly rateE12: number
}

export const make = Effect.gen(function* () {
  const { prices, sampling, tradingStates } = yield* Feed
  const { instruments } = yield* VenueSettings
  const clock = yield* Clock.Clock
  const isFunding = (symbol: MarketSymbol) => isLive(instruments.get(symbol)!, clock.currentTimeMillisUnsafe())
  return {
    nowMillis: () => clock.currentTimeMillisUnsafe(),
    /** The underlier is live, so that the hour counts. */
    isFunding,
    of: (symbol: MarketSymbol): Figures | undefined => {
      const priced = prices.get(symbol)
      if (priced === undefined) return undefined
      const state = tradingStates.get(symbol)
      const isPaying = isFunding(symbol) && state === "TRADING" && priced.source !== "stale"
      return {
        instrument: instruments.get(symbol)!,
        prices: priced,
        openInterestLots: state === "DELISTED" ? 0 : priced.openInterestLots,
        range: {
          lowerTicks: Math.max(priced.lowerTicks, priced.minPriceTicks),
          upperTicks: Math.min(priced.upperTicks, priced.maxPriceTicks)
        },
        rateE12: isPaying
          ? Sampling.rateE12(sampling.get(symbol) ?? Sampling.unsampled, clock.currentTimeMillisUnsafe())
          : 0
      }
    }
  }
})
