/** What each stream of market data says now, and when it is told. */
import * as Frame from "@venue/api/marketData/Frame"
import type { Channel, Topic } from "@venue/api/marketData/Subscription"
import type { Batch } from "@venue/cluster/clients/LocalEntities"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Effect } from "effect"
import * as Figures from "./Figures.ts"
import type { Changing } from "./OnChange.ts"
import type { ValueOf } from "./Streams.ts"

export interface Values {
  /** A trade is not repeated. */
  readonly latest: ValueOf
  readonly pulsed: ReadonlyArray<{
    readonly channel: Channel
    readonly everyMillis: number
    readonly valueOf: ValueOf
  }>
  /** The channels that are told on change. */
  readonly changing: ReadonlyArray<Changing & { readonly channel: Channel }>
}

export const make = Effect.gen(function* () {
  const { isFunding, of: figuresOf } = yield* Figures.make
  const latest = yield* makeLatest
  return {
    latest,
    pulsed: [
      { channel: "level2", everyMillis: 500, valueOf: latest },
      { channel: "mark_price", everyMillis: 1_000, valueOf: latest },
      { channel: "underlier", everyMillis: 1_000, valueOf: latest },
      {
        channel: "funding",
        everyMillis: 1_000,
        valueOf: (topic) => (isFunding(topic.symbol) ? latest(topic) : undefined)
      }
    ],
    changing: [
      yield* bestPrices,
      {
        channel: "open_interest",
        everyMillis: 1_000,
        concerns: isPriced,
        said: (symbol) => `${figuresOf(symbol)?.openInterestLots}`
      },
      {
        channel: "minmax_price",
        everyMillis: 100,
        concerns: isPriced,
        said: (symbol) => {
          const range = figuresOf(symbol)?.range
          return `${range?.lowerTicks} ${range?.upperTicks}`
        }
      }
    ]
  } satisfies Values as Values
})

const makeLatest = Effect.gen(function* () {
  const feed = yield* Feed
  const { instruments } = yield* VenueSettings
  const { nowMillis, of: figuresOf } = yield* Figures.make

  const ofBook = ({ channel, sigFigs, symbol }: Topic): Frame.Body => {
    const instrument = instruments.get(symbol)!
    const { best, levels } = feed.depth(symbol)!
    return channel === "level2"
      ? Frame.level2(instrument, levels("BUY"), levels("SELL"), sigFigs, nowMillis())
      : Frame.bbo(instrument, best("BUY"), best("SELL"), nowMillis())
  }
  const ofFigures = (
    channel: Exclude<Channel, "level2" | "bbo" | "trade">,
    { instrument, openInterestLots, prices, range, rateE12 }: Figures.Figures
  ): Frame.Body => {
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
    }
  }
  const latest: ValueOf = (topic) => {
    const { channel, symbol } = topic
    if (channel === "level2" || channel === "bbo") return ofBook(topic)
    if (channel === "trade") return undefined
    const figures = figuresOf(symbol)
    return figures === undefined ? undefined : ofFigures(channel, figures)
  }
  return latest
})

const bestPrices = Effect.map(Feed, (feed): Values["changing"][number] => ({
  channel: "bbo",
  everyMillis: 100,
  concerns: ({ levels }) => levels.length > 0,
  said: (symbol) => {
    const { best } = feed.depth(symbol)!
    const bid = best("BUY")
    const ask = best("SELL")
    return `${bid?.priceTicks} ${bid?.quantityLots} ${ask?.priceTicks} ${ask?.quantityLots}`
  }
}))

const isPriced = ({ events }: Batch): boolean =>
  events.some(({ _tag }) => _tag === "Priced" || _tag === "TradingStateChanged")
