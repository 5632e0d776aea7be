/** When the streams of market data are told: trades at once, all else at most so often, with the latest value alone. */
import * as Frame from "@venue/api/marketData/Frame"
import type * as Subscription from "@venue/api/marketData/Subscription"
import type { Batch } from "@venue/cluster/clients/LocalEntities"
import { Feed } from "@venue/cluster/feed/Feed"
import * as Beat from "@venue/cluster/protocol/Beat"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Clock, Effect } from "effect"
import * as Streams from "./Streams.ts"

export interface MarketPulse {
  /** The latest value of a stream; a trade is not repeated. */
  readonly latest: (topic: Subscription.Topic) => Frame.Body | undefined
  /** Somebody hears this channel now. */
  readonly heard: (channel: Subscription.Channel) => void
}

export const make = Effect.fnUntraced(function* (streams: Streams.Streams) {
  const feed = yield* Feed
  const latest = yield* makeLatest
  const bestPrices = yield* makeBestPrices(streams, latest)
  /** It goes on as long as somebody hears the channel. */
  const every = (channel: Subscription.Channel, millis: number) =>
    Beat.make(
      millis,
      Effect.sync(() => {
        streams.pulse(channel, latest)
        return streams.isHeard(channel)
      })
    )
  const beats = new Map([
    ["level2", yield* every("level2", 500)],
    ["mark_price", yield* every("mark_price", 1_000)]
  ])
  const observe = (batch: Batch) => {
    if (batch.levels.length > 0) bestPrices.moved(batch.instrument.symbol)
    tellTrades(streams, batch)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => feed.watch(observe)),
    (stop) => Effect.sync(stop)
  )
  return { latest, heard: (channel) => beats.get(channel)?.start() } satisfies MarketPulse as MarketPulse
})

const makeLatest = Effect.gen(function* () {
  const feed = yield* Feed
  const clock = yield* Clock.Clock
  const { instruments } = yield* VenueSettings
  const latest: MarketPulse["latest"] = ({ channel, sigFigs, symbol }) => {
    const instrument = instruments.get(symbol)!
    const depth = feed.depth(symbol)!
    const now = clock.currentTimeMillisUnsafe()
    switch (channel) {
      case "level2":
        return Frame.level2(instrument, depth.levels("BUY"), depth.levels("SELL"), sigFigs, now)
      case "bbo":
        return Frame.bbo(instrument, depth.best("BUY"), depth.best("SELL"), now)
      case "mark_price": {
        const prices = feed.prices.get(symbol)
        return prices === undefined ? undefined : Frame.markPrice(instrument, prices.markE8, prices.atMillis)
      }
      case "trade":
        return undefined
    }
  }
  return latest
})

/** Best prices are told where they, or their sizes, differ from what was told last. */
const makeBestPrices = Effect.fnUntraced(function* (streams: Streams.Streams, latest: MarketPulse["latest"]) {
  const feed = yield* Feed
  /** The levels of these symbols have changed since they were last looked at. */
  const moved = new Set<MarketSymbol>()
  const lastOf = new Map<MarketSymbol, string>()
  const hasChanged = (symbol: MarketSymbol): boolean => {
    const depth = feed.depth(symbol)!
    const bid = depth.best("BUY")
    const ask = depth.best("SELL")
    const now = `${bid?.priceTicks} ${bid?.quantityLots} ${ask?.priceTicks} ${ask?.quantityLots}`
    const before = lastOf.get(symbol)
    lastOf.set(symbol, now)
    return before !== now
  }
  const beat = yield* Beat.make(
    100,
    Effect.sync(() => {
      const changed = new Set([...moved].filter(hasChanged))
      moved.clear()
      streams.pulse("bbo", (topic) => (changed.has(topic.symbol) ? latest(topic) : undefined))
      return false
    })
  )
  return {
    moved: (symbol: MarketSymbol) => {
      moved.add(symbol)
      beat.start()
    }
  }
})

const tellTrades = (streams: Streams.Streams, { events, instrument }: Batch): void => {
  const listeners = streams.hearing({ channel: "trade", symbol: instrument.symbol, sigFigs: 0 })
  if (listeners === undefined || listeners.size === 0) return
  for (const event of events) {
    if (event._tag !== "Traded" || event.offBook !== undefined) continue
    const body = Frame.trade(instrument, event)
    for (const listener of listeners) Streams.tell(streams, listener, body)
  }
}
