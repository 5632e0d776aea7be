/** Market-data streams of one gateway, shared by the connections of both sockets. */
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
    readonly listed: () => ReadonlySet<MarketSymbol>
    readonly open: (transport: Streams.Outlet) => Streams.Subscriber
    readonly leave: (subscriber: Streams.Subscriber) => void
    /** Applies and confirms the valid part of a request, and sends the latest value of each new stream. */
    readonly change: (
      subscriber: Streams.Subscriber,
      request: Subscription.Subscription | Malformed,
      /** Text frame that contains the request. */
      text: string
    ) => void
    /** Sends a confirmation or an error; neither has a sequence number. */
    readonly sendText: (subscriber: Streams.Subscriber, text: string) => void
  }
>()("@venue/gateway/marketData/MarketStreams") {
  static readonly layer: Layer.Layer<MarketStreams, never, Feed | Journal | ReadTables> = Layer.effect(
    MarketStreams,
    Effect.gen(function* () {
      const { instruments } = yield* VenueSettings
      const streams = Streams.make()
      const pulse = yield* MarketPulse.make(streams)
      const sendText = (subscriber: Streams.Subscriber, text: string) => Streams.sendText(streams, subscriber, text)
      return MarketStreams.of({
        listed: () => new Set(instruments.keys()),
        open: streams.open,
        leave: streams.leave,
        change: (subscriber, request, text) => {
          if (request._tag === "Malformed") sendText(subscriber, Frame.malformed(request))
          else change(streams, pulse, subscriber, request, text)
        },
        sendText
      })
    })
  ).pipe(Layer.provide([Figures.layer, RecentTrades.layer]))
}

const change = (
  streams: Streams.Streams,
  pulse: MarketPulse.MarketPulse,
  subscriber: Streams.Subscriber,
  request: Subscription.Subscription,
  text: string
): void => {
  const topics = Subscription.topics(request)
  const isSubscribe = request._tag === "Subscribe"
  for (const topic of topics) {
    if (isSubscribe) {
      streams.subscribe(subscriber, topic)
      pulse.start(topic.channel)
    } else streams.unsubscribe(subscriber, topic)
  }
  if (topics.length > 0) Streams.sendText(streams, subscriber, Frame.confirmation(request))
  for (const { code, message } of request.declined) {
    Streams.sendText(streams, subscriber, Frame.err(code, message, Incoming.ofObject(text)))
  }
  if (!isSubscribe) return
  for (const topic of topics) {
    const body = pulse.latest(topic)
    if (body !== undefined) Streams.sendBody(streams, subscriber, body)
  }
}
