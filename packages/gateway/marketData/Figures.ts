/** The figures of each market by what this gateway has heard of it. */
import type { MarketStats } from "@venue/api/marketData/StatsFrame"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { Priced } from "@venue/domain/Market"
import { isLive, volumeDayBegan } from "@venue/domain/MarketHours"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { minuteOf } from "@venue/domain/Minute"
import type { PriceRange } from "@venue/domain/PriceBand"
import * as Sampling from "@venue/domain/Sampling"
import { Clock, Effect } from "effect"
import * as Minutes from "./Minutes.ts"
import type { RecentTrades } from "./RecentTrades.ts"

/** Of a market that has a price. */
export interface Figures {
  readonly prices: Priced
  readonly openInterestLots: number
  /** What the band and the bounds of the day both let in. */
  readonly range: PriceRange
  /** In 1e-12 of the value: what the hour would come to if it ended now (rule 10.7). */
  readonly rateE12: number
}

export const make = Effect.fnUntraced(function* (trades: RecentTrades) {
  const { depth, prices, sampling, tradingStates } = yield* Feed
  const { instruments } = yield* VenueSettings
  const clock = yield* Clock.Clock
  const nowMillis = () => clock.currentTimeMillisUnsafe()
  const isFunding = (symbol: MarketSymbol) => isLive(instruments.get(symbol)!, nowMillis())

  const of = (symbol: MarketSymbol): Figures | undefined => {
    const priced = prices.get(symbol)
    if (priced === undefined) return undefined
    const state = tradingStates.get(symbol)
    const isPaying = isFunding(symbol) && state === "TRADING" && priced.source !== "stale"
    return {
      prices: priced,
      openInterestLots: state === "DELISTED" ? 0 : priced.openInterestLots,
      range: {
        lowerTicks: Math.max(priced.lowerTicks, priced.minPriceTicks),
        upperTicks: Math.min(priced.upperTicks, priced.maxPriceTicks)
      },
      rateE12: isPaying ? Sampling.rateE12(sampling.get(symbol) ?? Sampling.unsampled, nowMillis()) : 0
    }
  }
  const stats = (symbol: MarketSymbol): MarketStats | undefined => {
    const figures = of(symbol)
    if (figures === undefined) return undefined
    const minutes = trades.of(symbol)
    const { best } = depth(symbol)!
    return {
      instrument: instruments.get(symbol)!,
      bid: best("BUY"),
      ask: best("SELL"),
      markE8: figures.prices.markE8,
      pricedAtMillis: figures.prices.atMillis,
      openInterestLots: figures.openInterestLots,
      rateE12: figures.rateE12,
      volumes:
        minutes === undefined
          ? undefined
          : {
              daily: Minutes.since(minutes, minuteOf(volumeDayBegan(nowMillis()))),
              rolling: Minutes.since(minutes, minuteOf(nowMillis()) - dayMinutes + 1)
            }
    }
  }
  return {
    nowMillis,
    /** The underlier is live, so that the hour counts. */
    isFunding,
    of,
    stats
  }
})

/** A day up to and with the minute that runs. */
const dayMinutes = 1_440
