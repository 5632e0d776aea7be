/** Candles of the current window: sent when they change, and once more when the window has closed. */
import * as Frame from "@venue/api/marketData/Frame"
import { keyOf, type Topic } from "@venue/api/marketData/Subscription"
import { resolutions } from "@venue/api/rest/ChartRange"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { minuteOf } from "@venue/domain/Minute"
import { Clock, Effect, identity } from "effect"
import * as Minutes from "./Minutes.ts"
import { RecentTrades } from "./RecentTrades.ts"
import type { ValueOf } from "./Streams.ts"

export interface Candles {
  readonly latest: ValueOf
  /** Returns the final candle of the window that was sent last, or undefined while that window is open. */
  readonly closed: ValueOf
  /** Returns the current candle, or undefined if it equals the candle that was sent last. */
  readonly changed: ValueOf
}

interface SentCandle {
  readonly startMinute: number
  readonly tail: string
}

export const make = Effect.gen(function* () {
  const { prices } = yield* Feed
  const trades = yield* RecentTrades
  const { instruments } = yield* VenueSettings
  const clock = yield* Clock.Clock
  const sent = new Map<string, SentCandle>()

  const lengthOf = ({ interval }: Topic) => resolutions.minutesOf(interval!)!
  /** Returns the current window's start. Windows end 1 s late, when the feed has delivered their last trade. */
  const startOf = (topic: Topic) => {
    const minute = minuteOf(clock.currentTimeMillisUnsafe() - feedDelayMillis)
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
  return identity<Candles>({
    latest: (topic) => {
      const startMinute = startOf(topic)
      const body = bodyOf(topic, startMinute)
      if (body !== undefined && !sent.has(keyOf(topic))) sent.set(keyOf(topic), { startMinute, tail: body.tail })
      return body
    },
    closed: (topic) => {
      const startMinute = startOf(topic) - lengthOf(topic)
      return sent.get(keyOf(topic))?.startMinute === startMinute ? bodyOf(topic, startMinute) : undefined
    },
    changed: (topic) => {
      const startMinute = startOf(topic)
      const body = bodyOf(topic, startMinute)
      if (body === undefined || sent.get(keyOf(topic))?.tail === body.tail) return undefined
      sent.set(keyOf(topic), { startMinute, tail: body.tail })
      return body
    }
  })
})

/** Maximum delay of a trade in the feed, in milliseconds. */
const feedDelayMillis = 1_000
