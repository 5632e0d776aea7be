/** What each stream of market data says now. */
import * as Frame from "@venue/api/marketData/Frame"
import type { Channel } from "@venue/api/marketData/Subscription"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Clock, Effect } from "effect"
import type { Changing } from "./OnChange.ts"
import type { ValueOf } from "./Streams.ts"

export interface Values {
  readonly latest: ValueOf
  /** The channels that are told on change. */
  readonly changing: ReadonlyArray<Changing & { readonly channel: Channel }>
}

export const make = Effect.gen(function* () {
  const feed = yield* Feed
  const clock = yield* Clock.Clock
  const { instruments } = yield* VenueSettings
  const latest: ValueOf = ({ channel, sigFigs, symbol }) => {
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
  return {
    latest,
    changing: [
      {
        channel: "bbo",
        everyMillis: 100,
        concerns: ({ levels }) => levels.length > 0,
        said: (symbol) => {
          const depth = feed.depth(symbol)!
          const bid = depth.best("BUY")
          const ask = depth.best("SELL")
          return `${bid?.priceTicks} ${bid?.quantityLots} ${ask?.priceTicks} ${ask?.quantityLots}`
        }
      }
    ]
  } satisfies Values as Values
})
