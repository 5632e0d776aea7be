/** Timing of the market-data streams. Trades are sent at once; other channels send their latest value periodically. */
import * as Frame from "@venue/api/marketData/Frame"
import type * as Subscription from "@venue/api/marketData/Subscription"
import type { Batch } from "@venue/cluster/feed/Batch"
import { Feed } from "@venue/cluster/feed/Feed"
import * as Beat from "@venue/cluster/feed/Beat"
import { Effect, identity } from "effect"
import * as OnChange from "./OnChange.ts"
import * as Streams from "./Streams.ts"
import * as Values from "./Values.ts"

export interface MarketPulse {
  /** Returns a stream's latest value, or undefined for the trades channel. */
  readonly latest: Streams.ValueOf
  /** Starts the timers of a channel that has a subscriber. */
  readonly start: (channel: Subscription.Channel) => void
}

export const make = Effect.fnUntraced(function* (streams: Streams.Streams) {
  const feed = yield* Feed
  const values = yield* Values.make
  const { latest } = values
  const dueBeat = yield* Beat.make(
    lateMillis,
    Effect.sync(() => {
      streams.catchUp(latest)
      return streams.areDue()
    })
  )
  const pulse = (channel: Subscription.Channel, valueOf: Streams.ValueOf) => {
    streams.pulse(channel, valueOf)
    if (streams.areDue()) dueBeat.start()
  }
  /** Channel timers. Each timer stops when its channel has no subscriber. */
  const beats: Array<{ readonly channel: Subscription.Channel; readonly beat: Beat.Beat }> = []
  for (const { channel, everyMillis, finalValue, value } of values.pulsed) {
    const step = Effect.sync(() => {
      if (finalValue !== undefined) streams.sendFinal(channel, finalValue)
      pulse(channel, value)
      return streams.hasSubscribers(channel)
    })
    beats.push({ channel, beat: yield* Beat.make(everyMillis, step) })
  }
  const changing: Array<OnChange.OnChange> = []
  const starts = new Map<Subscription.Channel, () => void>()
  for (const { channel, ...change } of values.changing) {
    const onChange = yield* OnChange.make(change, (valueOf) => pulse(channel, valueOf), latest, feed.instruments.keys())
    const step = Effect.sync(() => {
      const hasSubscribers = streams.hasSubscribers(channel)
      if (hasSubscribers) onChange.repeat()
      else onChange.stop()
      return hasSubscribers
    })
    changing.push(onChange)
    starts.set(channel, onChange.start)
    beats.push({ channel, beat: yield* Beat.make(OnChange.repeatStepMillis, step) })
  }
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      feed.watch(
        (batch) => {
          for (const { observe } of changing) observe(batch)
          sendTrades(streams, batch)
        },
        (symbol) => {
          for (const { markChanged } of changing) markChanged(symbol)
        }
      )
    ),
    (stop) => Effect.sync(stop)
  )
  const start = (channel: Subscription.Channel) => {
    starts.get(channel)?.()
    for (const each of beats) if (each.channel === channel) each.beat.start()
  }
  return identity<MarketPulse>({ latest, start })
})

/** Interval at which subscribers with too many unread bytes are checked again. */
const lateMillis = 500

const sendTrades = (streams: Streams.Streams, { events, instrument }: Batch): void => {
  const subscribers = streams.subscribersOf({ channel: "trade", symbol: instrument.symbol, sigFigs: 0 })
  if (subscribers === undefined || subscribers.size === 0) return
  for (const event of events) {
    if (event._tag !== "Traded") continue
    const body = Frame.trade(instrument, event)
    for (const subscriber of subscribers) Streams.sendBody(streams, subscriber, body)
  }
}
