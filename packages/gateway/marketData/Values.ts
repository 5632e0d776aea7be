/** Value of each market-data stream, and the timing of each channel. */
import * as Frame from "@venue/api/marketData/Frame"
import { marketStats } from "@venue/api/marketData/StatsFrame"
import { type Channel, everySymbol, type Topic } from "@venue/api/marketData/Subscription"
import type { Batch } from "@venue/cluster/feed/Batch"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Effect, identity } from "effect"
import * as Candles from "./Candles.ts"
import { Figures } from "./Figures.ts"
import type { Changing } from "./OnChange.ts"
import type { ValueOf } from "./Streams.ts"

/** A channel whose values are sent at a fixed interval. */
export interface Pulsed {
  readonly channel: Channel
  readonly everyMillis: number
  readonly value: ValueOf
  /** Returns the final value of a window, which every subscriber receives before the current value. */
  readonly finalValue?: ValueOf
}

export interface Values {
  /** Returns a stream's latest value, or undefined for the trades channel. */
  readonly latest: ValueOf
  readonly pulsed: ReadonlyArray<Pulsed>
  /** Channels whose values are sent on change. */
  readonly changing: ReadonlyArray<Changing & { readonly channel: Channel }>
}

export const make = Effect.gen(function* () {
  const figures = yield* Figures
  const candles = yield* Candles.make
  const latest = yield* makeLatest(figures, candles)
  return identity<Values>({
    latest,
    pulsed: pulsedBy(latest, figures, candles),
    changing: [yield* bestPrices, ...changingBy(figures)]
  })
})

const makeLatest = Effect.fnUntraced(function* (
  { nowMillis, of: figuresOf, stats }: Figures["Service"],
  candles: Candles.Candles
) {
  const feed = yield* Feed
  const { instruments } = yield* VenueSettings

  const ofBook = ({ channel, sigFigs, symbol }: Topic): Frame.Body => {
    const instrument = instruments.get(symbol)!
    const { best, levels } = feed.depth(symbol)!
    return channel === "level2"
      ? Frame.level2(instrument, levels("BUY"), levels("SELL"), sigFigs, nowMillis())
      : Frame.bbo(instrument, best("BUY"), best("SELL"), nowMillis())
  }
  const ofStats = ({ symbol }: Topic): Frame.Body | undefined => {
    const wanted = symbol === everySymbol ? [...instruments.keys()] : [symbol]
    const known = wanted.flatMap((each) => stats(each) ?? [])
    return known.length === 0 ? undefined : marketStats(symbol, known, nowMillis())
  }
  const ofFigures = ({ channel, symbol }: Topic): Frame.Body | undefined => {
    const figures = figuresOf(symbol)
    if (figures === undefined) return undefined
    const instrument = instruments.get(symbol)!
    const { openInterestLots, prices, range, rateE12 } = figures
    switch (channel) {
      case "mark_price":
        return Frame.markPrice(instrument, prices.markE8, prices.atMillis)
      case "underlier":
        return Frame.underlier(instrument, prices)
      case "funding":
        return Frame.funding(instrument, rateE12, nowMillis())
      case "open_interest":
        return Frame.openInterest(instrument, openInterestLots, prices.atMillis)
      case "minmax_price":
        return Frame.minmaxPrice(instrument, range, prices.atMillis)
      default:
        return undefined
    }
  }
  const latest: ValueOf = (topic) => {
    switch (topic.channel) {
      case "level2":
      case "bbo":
        return ofBook(topic)
      case "candle":
        return candles.latest(topic)
      case "market_stats":
        return ofStats(topic)
      default:
        return ofFigures(topic)
    }
  }
  return latest
})

const pulsedBy = (
  latest: ValueOf,
  { isFunding }: Figures["Service"],
  { changed, closed }: Candles.Candles
): ReadonlyArray<Pulsed> => [
  { channel: "level2", everyMillis: 500, value: latest },
  { channel: "mark_price", everyMillis: 1_000, value: latest },
  { channel: "underlier", everyMillis: 1_000, value: latest },
  {
    channel: "funding",
    everyMillis: 1_000,
    value: (topic) => (isFunding(topic.symbol) ? latest(topic) : undefined)
  },
  { channel: "candle", everyMillis: 1_000, value: changed, finalValue: closed },
  {
    channel: "market_stats",
    everyMillis: 1_000,
    value: (topic) => (topic.symbol === everySymbol ? undefined : latest(topic))
  },
  {
    channel: "market_stats",
    everyMillis: 10_000,
    value: (topic) => (topic.symbol === everySymbol ? latest(topic) : undefined)
  }
]

const changingBy = ({ of: figuresOf }: Figures["Service"]): Values["changing"] => [
  {
    channel: "open_interest",
    everyMillis: 1_000,
    repeatMillis: 10_000,
    concerns: isPriced,
    fingerprint: (symbol) => `${figuresOf(symbol)?.openInterestLots}`
  },
  {
    channel: "minmax_price",
    everyMillis: 1_000,
    repeatMillis: 10_000,
    concerns: isPriced,
    fingerprint: (symbol) => {
      const range = figuresOf(symbol)?.range
      return `${range?.lowerTicks} ${range?.upperTicks}`
    }
  }
]

const bestPrices = Effect.map(Feed, (feed): Values["changing"][number] => ({
  channel: "bbo",
  everyMillis: 100,
  repeatMillis: 5_000,
  concerns: ({ levels }) => levels.length > 0,
  fingerprint: (symbol) => {
    const { best } = feed.depth(symbol)!
    const bid = best("BUY")
    const ask = best("SELL")
    return `${bid?.priceTicks} ${bid?.quantityLots} ${ask?.priceTicks} ${ask?.quantityLots}`
  }
}))

const isPriced = ({ events }: Batch): boolean =>
  events.some(({ _tag }) => _tag === "Priced" || _tag === "TradingStateChanged")
