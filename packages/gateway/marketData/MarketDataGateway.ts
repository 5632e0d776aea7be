/** The market-data socket of one gateway: each message is built once for all who hear it. */
import * as Incoming from "@venue/api/Incoming"
import * as Frame from "@venue/api/marketData/Frame"
import * as Subscription from "@venue/api/marketData/Subscription"
import { Feed } from "@venue/cluster/feed/Feed"
import * as Beat from "@venue/cluster/protocol/Beat"
import type { Batch } from "@venue/cluster/clients/LocalEntities"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Clock, Context, Effect, Layer } from "effect"
import { maxPulseBytes, maxWaitingBytes, type Receiver, type Transport } from "../socket/Transport.ts"

const maxMessagesPerMinute = 200

interface Listener {
  readonly transport: Transport
  readonly keys: Set<string>
  sequence: number
  minute: number
  messages: number
}

interface Audience {
  readonly topic: Subscription.Topic
  readonly listeners: Set<Listener>
}

export class MarketDataGateway extends Context.Service<
  MarketDataGateway,
  {
    readonly open: (transport: Transport) => Receiver
  }
>()("@venue/gateway/MarketDataGateway") {
  static readonly layer: Layer.Layer<MarketDataGateway, never, Feed> = Layer.effect(
    MarketDataGateway,
    Effect.gen(function* () {
      const feed = yield* Feed
      const clock = yield* Clock.Clock
      const { instruments, rateLimits } = yield* VenueSettings
      const listed = new Set(instruments.keys())
      const audiences = new Map<string, Audience>()
      /** Symbols whose best price may have changed since it was last told. */
      const moved = new Set<string>()
      const told = new Map<string, string>()
      const listeners = new Set<Listener>()

      const send = (listener: Listener, body: Frame.Body) => say(listener, Frame.frame(body, ++listener.sequence))
      const say = (listener: Listener, text: string) => {
        listener.transport.send(text)
        if (listener.transport.waitingBytes() > maxWaitingBytes) {
          listener.transport.close(1013, "frames were not read; 1 MiB was waiting")
          leave(listener)
        }
      }
      const leave = (listener: Listener) => {
        for (const key of listener.keys) audiences.get(key)?.listeners.delete(listener)
        listener.keys.clear()
        listeners.delete(listener)
      }
      /** The latest value of a stream; a trade is not repeated. */
      const latest = ({ channel, sigFigs, symbol }: Subscription.Topic): Frame.Body | undefined => {
        const instrument = instruments.get(symbol)!
        const now = clock.currentTimeMillisUnsafe()
        switch (channel) {
          case "level2":
            return Frame.level2(
              instrument,
              sorted(feed.levels(symbol, "BUY"), -1),
              sorted(feed.levels(symbol, "SELL"), 1),
              sigFigs,
              now
            )
          case "bbo":
            return Frame.bbo(
              instrument,
              best(feed.levels(symbol, "BUY"), -1),
              best(feed.levels(symbol, "SELL"), 1),
              now
            )
          case "mark_price": {
            const prices = feed.prices.get(symbol)
            return prices === undefined ? undefined : Frame.markPrice(instrument, prices.mark, prices.atMillis)
          }
          case "trade":
            return undefined
        }
      }
      const pulse = (channel: Subscription.Channel, wanted: (symbol: string) => boolean) => {
        for (const { listeners, topic } of audiences.values()) {
          if (topic.channel !== channel || listeners.size === 0 || !wanted(topic.symbol)) continue
          const body = latest(topic)
          if (body === undefined) continue
          for (const listener of listeners) {
            if (listener.transport.waitingBytes() <= maxPulseBytes) send(listener, body)
          }
        }
      }
      const observe = ({ events, instrument, levels }: Batch) => {
        if (levels.length > 0) {
          moved.add(instrument.symbol)
          bestPrices.start()
        }
        const audience = audiences.get(Subscription.keyOf({ channel: "trade", symbol: instrument.symbol, sigFigs: 0 }))
        if (audience === undefined || audience.listeners.size === 0) return
        for (const event of events) {
          if (event._tag !== "Traded") continue
          const body = Frame.trade(instrument, event)
          for (const listener of audience.listeners) send(listener, body)
        }
      }
      const tellBestPrices = Effect.sync(() => {
        const changed = new Set<string>()
        for (const symbol of moved) {
          const bid = best(feed.levels(symbol, "BUY"), -1)
          const ask = best(feed.levels(symbol, "SELL"), 1)
          const now = `${bid?.price} ${bid?.quantity} ${ask?.price} ${ask?.quantity}`
          if (told.get(symbol) !== now) changed.add(symbol)
          told.set(symbol, now)
        }
        moved.clear()
        pulse("bbo", (symbol) => changed.has(symbol))
        return false
      })
      const bestPrices = yield* Beat.make(100, tellBestPrices)
      /** As long as somebody hears the channel. */
      const pulsed = (channel: Subscription.Channel, everyMillis: number) =>
        Beat.make(
          everyMillis,
          Effect.sync(() => {
            pulse(channel, () => true)
            return [...audiences.values()].some(
              ({ listeners, topic }) => topic.channel === channel && listeners.size > 0
            )
          })
        )
      const pulses = new Map([
        ["level2", yield* pulsed("level2", 500)],
        ["mark_price", yield* pulsed("mark_price", 1_000)]
      ])
      yield* Effect.acquireRelease(
        Effect.sync(() => feed.watch(observe)),
        (stop) => Effect.sync(stop)
      )
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const { transport } of listeners) transport.close(1001, "the venue is going down")
        })
      )

      const subscribe = (listener: Listener, request: Subscription.Subscription, text: string) => {
        const topics = Subscription.topics(request)
        for (const topic of topics) {
          const key = Subscription.keyOf(topic)
          const audience = audiences.get(key) ?? { topic, listeners: new Set() }
          audiences.set(key, audience)
          if (request._tag === "Subscribe") {
            listener.keys.add(key)
            audience.listeners.add(listener)
            pulses.get(topic.channel)?.start()
          } else {
            listener.keys.delete(key)
            audience.listeners.delete(listener)
          }
        }
        if (topics.length > 0) say(listener, Frame.confirmation(request))
        for (const { code, message } of request.declined) {
          say(listener, Frame.err(code, message, Incoming.ofObject(text)))
        }
        if (request._tag === "Unsubscribe") return
        for (const topic of topics) {
          const body = latest(topic)
          if (body !== undefined) send(listener, body)
        }
      }

      return MarketDataGateway.of({
        open: (transport) => {
          const listener: Listener = { transport, keys: new Set(), sequence: 0, minute: 0, messages: 0 }
          listeners.add(listener)
          return {
            text: (text) => {
              const minute = Math.floor(clock.currentTimeMillisUnsafe() / 60_000)
              listener.messages = listener.minute === minute ? listener.messages + 1 : 1
              listener.minute = minute
              if (rateLimits && listener.messages > maxMessagesPerMinute) {
                return say(listener, Frame.rateLimited(60_000, undefined))
              }
              const request = Subscription.decode(text, listed)
              if (request._tag === "Malformed") say(listener, Frame.malformed(request))
              else subscribe(listener, request, text)
            },
            closed: () => leave(listener)
          }
        }
      })
    })
  )
}

const sorted = (levels: ReadonlyMap<number, number>, direction: 1 | -1): ReadonlyArray<Frame.PriceLevel> =>
  Array.from(levels, ([price, quantity]) => ({ price, quantity })).sort((a, b) => direction * (a.price - b.price))

function best(levels: ReadonlyMap<number, number>, direction: 1 | -1): Frame.PriceLevel | undefined {
  let found: Frame.PriceLevel | undefined
  for (const [price, quantity] of levels) {
    if (found === undefined || direction * (price - found.price) < 0) found = { price, quantity }
  }
  return found
}
