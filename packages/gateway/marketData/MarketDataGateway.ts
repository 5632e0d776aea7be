/** Market-data socket of one gateway: its connections and their rate limit. */
import * as Incoming from "@venue/api/Incoming"
import * as Frame from "@venue/api/marketData/Frame"
import * as Subscription from "@venue/api/marketData/Subscription"
import type { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { minuteMillis, minuteOf } from "@venue/domain/Minute"
import type { Journal } from "@venue/journal/Journal"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Context, Effect, Layer } from "effect"
import type { Receiver, Transport } from "../socket/Transport.ts"
import { MarketStreams } from "./MarketStreams.ts"

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
      const { rateLimits } = yield* VenueSettings
      const { change, leave, listed, open, sendText } = yield* MarketStreams
      const transports = new Set<Transport>()
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const transport of transports) transport.close(1001, "the venue is shutting down")
        })
      )
      return MarketDataGateway.of({
        open: (transport) => {
          const subscriber = open(transport)
          transports.add(transport)
          let minute = 0
          let messages = 0
          return {
            text: (text) => {
              const nowMillis = clock.currentTimeMillisUnsafe()
              const now = minuteOf(nowMillis)
              messages = minute === now ? messages + 1 : 1
              minute = now
              const isTooMany = rateLimits && messages > maxMessagesPerMinute
              if (isTooMany)
                sendText(subscriber, Frame.rateLimited((now + 1) * minuteMillis - nowMillis, Incoming.echo(text)))
              else change(subscriber, Subscription.decode(text, listed()), text)
            },
            closed: () => {
              transports.delete(transport)
              leave(subscriber)
            }
          }
        }
      })
    })
  ).pipe(Layer.provide(MarketStreams.layer))
}
