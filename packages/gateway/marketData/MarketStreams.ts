/** The streams of market data of one gateway, for the connections of either socket. */
import * as Incoming from "@venue/api/Incoming"
import * as Frame from "@venue/api/marketData/Frame"
import * as Subscription from "@venue/api/marketData/Subscription"
import type { Malformed } from "@venue/api/Malformed"
import type { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Journal } from "@venue/journal/Journal"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import { Context, Effect, Layer } from "effect"
import { Figures } from "./Figures.ts"
import * as MarketPulse from "./MarketPulse.ts"
import { RecentTrades } from "./RecentTrades.ts"
import * as Streams from "./Streams.ts"

export class MarketStreams extends Context.Service<
  MarketStreams,
  {
    /** The symbols that there are. */
    readonly listed: ReadonlySet<MarketSymbol>
    readonly open: (transport: Streams.Outlet) => Streams.Listener
    readonly leave: (listener: Streams.Listener) => void
    /** What of a request is right takes effect and is confirmed; new streams begin with their latest value. */
    readonly change: (
      listener: Streams.Listener,
      request: Subscription.Subscription | Malformed,
      /** The frame that it was. */
      text: string
    ) => void
    /** A confirmation or an error, which has no number. */
    readonly say: (listener: Streams.Listener, text: string) => void
  }
>()("@venue/gateway/marketData/MarketStreams") {
  static readonly layer: Layer.Layer<MarketStreams, never, Feed | Journal | ReadTables> = Layer.effect(
    MarketStreams,
    Effect.gen(function* () {
      const { instruments } = yield* VenueSettings
      const streams = Streams.make()
      const pulse = yield* MarketPulse.make(streams)
      const say = (listener: Streams.Listener, text: string) => Streams.say(streams, listener, text)
      return MarketStreams.of({
        listed: new Set(instruments.keys()),
        open: streams.open,
        leave: streams.leave,
        change: (listener, request, text) => {
          if (request._tag === "Malformed") say(listener, Frame.malformed(request))
          else change(streams, pulse, listener, request, text)
        },
        say
      })
    })
  ).pipe(Layer.provide([Figures.layer, RecentTrades.layer]))
}

const change = (
  streams: Streams.Streams,
  pulse: MarketPulse.MarketPulse,
  listener: Streams.Listener,
  request: Subscription.Subscription,
  text: string
): void => {
  const topics = Subscription.topics(request)
  const subscribes = request._tag === "Subscribe"
  for (const topic of topics) {
    if (subscribes) {
      streams.subscribe(listener, topic)
      pulse.heard(topic.channel)
    } else streams.unsubscribe(listener, topic)
  }
  if (topics.length > 0) Streams.say(streams, listener, Frame.confirmation(request))
  for (const { code, message } of request.declined) {
    Streams.say(streams, listener, Frame.err(code, message, Incoming.ofObject(text)))
  }
  if (!subscribes) return
  for (const topic of topics) {
    const body = pulse.latest(topic)
    if (body !== undefined) Streams.tell(streams, listener, body)
  }
}
