/** The market-data socket of one gateway: what its clients ask for, and what they hear at once. */
import * as Incoming from "@venue/api/Incoming"
import * as Frame from "@venue/api/marketData/Frame"
import * as Subscription from "@venue/api/marketData/Subscription"
import type { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { Journal } from "@venue/journal/Journal"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Context, Effect, Layer } from "effect"
import type { Receiver, Transport } from "../socket/Transport.ts"
import * as MarketPulse from "./MarketPulse.ts"
import * as Streams from "./Streams.ts"
import { Values } from "./Values.ts"

const maxMessagesPerMinute = 200

export class MarketDataGateway extends Context.Service<
  MarketDataGateway,
  {
    readonly open: (transport: Transport) => Receiver
  }
>()("@venue/gateway/MarketDataGateway") {
  static readonly layer: Layer.Layer<MarketDataGateway, never, Feed | Journal | ReadTables> = Layer.effect(
    MarketDataGateway,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const { instruments, rateLimits } = yield* VenueSettings
      const listed = new Set(instruments.keys())
      const streams = Streams.make()
      const pulse = yield* MarketPulse.make(streams)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const { transport } of streams.listeners) transport.close(1001, "the venue is going down")
        })
      )

      const receive = (listener: Streams.Listener, text: string) => {
        const minute = Math.floor(clock.currentTimeMillisUnsafe() / 60_000)
        listener.messages = listener.minute === minute ? listener.messages + 1 : 1
        listener.minute = minute
        if (rateLimits && listener.messages > maxMessagesPerMinute) {
          return Streams.say(streams, listener, Frame.rateLimited(60_000, undefined))
        }
        const request = Subscription.decode(text, listed)
        if (request._tag === "Malformed") Streams.say(streams, listener, Frame.malformed(request))
        else change(streams, pulse, listener, request, text)
      }

      return MarketDataGateway.of({
        open: (transport) => {
          const listener = streams.open(transport)
          return { text: (text) => receive(listener, text), closed: () => streams.leave(listener) }
        }
      })
    })
  ).pipe(Layer.provide(Values.layer))
}

/** What of a request is right takes effect and is confirmed; new streams begin with their latest value. */
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
