/** When the streams of market data are told: trades at once, all else at most so often, with the latest value alone. */
import * as Frame from "@venue/api/marketData/Frame"
import type * as Subscription from "@venue/api/marketData/Subscription"
import type { Batch } from "@venue/cluster/feed/Batch"
import { Feed } from "@venue/cluster/feed/Feed"
import * as Beat from "@venue/cluster/feed/Beat"
import { Effect } from "effect"
import * as OnChange from "./OnChange.ts"
import * as Streams from "./Streams.ts"
import * as Values from "./Values.ts"

export interface MarketPulse {
  /** The latest value of a stream; a trade is not repeated. */
  readonly latest: Streams.ValueOf
  /** Somebody hears this channel now. */
  readonly heard: (channel: Subscription.Channel) => void
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
  /** It goes on as long as somebody hears the channel. */
  const beats: Array<{ readonly channel: Subscription.Channel; readonly beat: Beat.Beat }> = []
  for (const { channel, concluded, everyMillis, value } of values.pulsed) {
    const step = Effect.sync(() => {
      if (concluded !== undefined) streams.conclude(channel, concluded)
      pulse(channel, value)
      return streams.isHeard(channel)
    })
    beats.push({ channel, beat: yield* Beat.make(everyMillis, step) })
  }
  const changing: Array<OnChange.OnChange> = []
  const counts = new Map<Subscription.Channel, () => void>()
  for (const { channel, ...change } of values.changing) {
    const one = yield* OnChange.make(change, (valueOf) => pulse(channel, valueOf), latest, feed.instruments.keys())
    const step = Effect.sync(() => {
      const isHeard = streams.isHeard(channel)
      if (isHeard) one.repeat()
      else one.unheard()
      return isHeard
    })
    changing.push(one)
    counts.set(channel, one.heard)
    beats.push({ channel, beat: yield* Beat.make(OnChange.repeatStepMillis, step) })
  }
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      feed.watch(
        (batch) => {
          for (const { observe } of changing) observe(batch)
          tellTrades(streams, batch)
        },
        (symbol) => {
          for (const { moved } of changing) moved(symbol)
        }
      )
    ),
    (stop) => Effect.sync(stop)
  )
  const heard = (channel: Subscription.Channel) => {
    counts.get(channel)?.()
    for (const one of beats) if (one.channel === channel) one.beat.start()
  }
  return { latest, heard } satisfies MarketPulse as MarketPulse
})

/** Who had much to read is looked at so often. */
const lateMillis = 500

const tellTrades = (streams: Streams.Streams, { events, instrument }: Batch): void => {
  const listeners = streams.hearing({ channel: "trade", symbol: instrument.symbol, sigFigs: 0 })
  if (listeners === undefined || listeners.size === 0) return
  for (const event of events) {
    if (event._tag !== "Traded") continue
    const body = Frame.trade(instrument, event)
    for (const listener of listeners) Streams.tell(streams, listener, body)
  }
}
