/** Current figures of each market, computed from this gateway's feed. Streams and REST use the same figures. */
import type { MarketStats, Volume } from "@venue/api/marketData/StatsFrame"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { Priced } from "@venue/domain/Market"
import { isLive, volumeDayBegan } from "@venue/domain/MarketHours"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { minuteOf } from "@venue/domain/Minute"
import type { PriceRange } from "@venue/domain/PriceBand"
import * as Sampling from "@venue/domain/Sampling"
import type { Journal } from "@venue/journal/Journal"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Context, Effect, Layer } from "effect"
import * as Marks from "./Marks.ts"
import * as Minutes from "./Minutes.ts"
import { RecentMarks } from "./RecentMarks.ts"
import { RecentTrades } from "./RecentTrades.ts"

/** Figures for a market that has a price. */
export interface MarketFigures {
  readonly prices: Priced
  readonly openInterestLots: number
  /** Permitted prices, which are within both the price band and the day's bounds. */
  readonly range: PriceRange
  /** Funding rate that would apply if the hour ended now, in units of 1e-12 (rule 10.7). */
  readonly rateE12: number
}

/** Figures of the last 1,440 minutes, including the current one. */
export interface Day {
  readonly volume: Volume
  /** Change in the mark price, in percent with two decimals. */
  readonly changePercent: number
  /** Price of the last order-book trade, however old, in ticks; 0 before the first trade. */
  readonly lastTicks: number
}

export class Figures extends Context.Service<
  Figures,
  {
    readonly nowMillis: () => number
    /** True while the underlier is live, so that funding accrues. */
    readonly isFunding: (symbol: MarketSymbol) => boolean
    readonly of: (symbol: MarketSymbol) => MarketFigures | undefined
    readonly stats: (symbol: MarketSymbol) => MarketStats | undefined
    /** Returns undefined until the minutes of the last day are loaded, shortly after the market's first row. */
    readonly day: (symbol: MarketSymbol) => Day | undefined
  }
>()("@venue/gateway/marketData/Figures") {
  static readonly layer: Layer.Layer<Figures, never, Feed | Journal | ReadTables> = Layer.effect(
    Figures,
    Effect.suspend(() => make)
  ).pipe(Layer.provide([RecentMarks.layer, RecentTrades.layer]))
}

const make = Effect.gen(function* () {
  const { depth, prices, sampling, tradingStates } = yield* Feed
  const { instruments } = yield* VenueSettings
  const marks = yield* RecentMarks
  const trades = yield* RecentTrades
  const clock = yield* Clock.Clock
  const nowMillis = () => clock.currentTimeMillisUnsafe()
  const isFunding = (symbol: MarketSymbol) => isLive(instruments.get(symbol)!, nowMillis())

  const of = (symbol: MarketSymbol): MarketFigures | undefined => {
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
  const rolling = (minutes: Minutes.Minutes): Volume =>
    Minutes.since(minutes, minuteOf(nowMillis()) - Marks.dayMinutes + 1)
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
              rolling: rolling(minutes)
            }
    }
  }
  const day = (symbol: MarketSymbol): Day | undefined => {
    const minutes = trades.of(symbol)
    const minuteMarks = marks.of(symbol)
    if (minutes === undefined || minuteMarks === undefined) return undefined
    const markE8 = prices.get(symbol)?.markE8
    return {
      volume: rolling(minutes),
      changePercent: markE8 === undefined ? 0 : Marks.changePercent(minuteMarks, markE8, minuteOf(nowMillis())),
      lastTicks: Minutes.lastTicks(minutes)
    }
  }
  return Figures.of({ nowMillis, isFunding, of, stats, day })
})
