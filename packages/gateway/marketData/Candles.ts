/** The candle of each window that runs: told again when it changed, and once more when it has closed. */
import * as Frame from "@venue/api/marketData/Frame"
import { keyOf, type Topic } from "@venue/api/marketData/Subscription"
import { resolutions } from "@venue/api/rest/ChartRange"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { minuteOf } from "@venue/domain/Minute"
import { Clock, Effect } from "effect"
import * as Minutes from "./Minutes.ts"
import { RecentTrades } from "./RecentTrades.ts"
import type { ValueOf } from "./Streams.ts"

export interface Candles {
  readonly latest: ValueOf
  /** The window that was told last, once it is over. */
  readonly closed: ValueOf
  /** Undefined where that is what was told last. */
  readonly changed: ValueOf
}

/** The window that a stream told last. */
interface Told {
  readonly startMinute: number
  readonly tail: string
}

export const make = Effect.gen(function* () {
  const { prices } = yield* Feed
  const trades = yield* RecentTrades
  const { instruments } = yield* VenueSettings
  const clock = yield* Clock.Clock
  const told = new Map<string, Told>()

  const lengthOf = ({ interval }: Topic) => resolutions.minutesOf(interval!)!
  /** A trade is told within a second, so a window runs for a second more: what closes is whole. */
  const startOf = (topic: Topic) => {
    const minute = minuteOf(clock.currentTimeMillisUnsafe() - toldWithinMillis)
    return minute - (minute % lengthOf(topic))
  }
  const bodyOf = (topic: Topic, startMinute: number): Frame.Body | undefined => {
    const { interval, symbol } = topic
    const minutes = trades.of(symbol)
    const priced = prices.get(symbol)
    if (minutes === undefined || priced === undefined) return undefined
    const instrument = instruments.get(symbol)!
    const {
      closeTicks,
      highTicks,
      lowTicks,
      notional,
      openTicks,
      trades: count
    } = Minutes.candle(minutes, startMinute, lengthOf(topic))
    const price = (ticks: number) => (ticks === 0 ? priced.markE8 : ticks * instrument.tickE8)
    return Frame.candle(instrument, interval!, {
      startMinute,
      openE8: price(openTicks),
      highE8: price(highTicks),
      lowE8: price(lowTicks),
      closeE8: price(closeTicks),
      notional,
      trades: count
    })
  }
  return {
    latest: (topic) => {
      const startMinute = startOf(topic)
      const body = bodyOf(topic, startMinute)
      if (body !== undefined && !told.has(keyOf(topic))) told.set(keyOf(topic), { startMinute, tail: body.tail })
      return body
    },
    closed: (topic) => {
      const startMinute = startOf(topic) - lengthOf(topic)
      return told.get(keyOf(topic))?.startMinute === startMinute ? bodyOf(topic, startMinute) : undefined
    },
    changed: (topic) => {
      const startMinute = startOf(topic)
      const body = bodyOf(topic, startMinute)
      if (body === undefined || told.get(keyOf(topic))?.tail === body.tail) return undefined
      told.set(keyOf(topic), { startMinute, tail: body.tail })
      return body
    }
  } satisfies Candles as Candles
})

const toldWithinMillis = 1_000
