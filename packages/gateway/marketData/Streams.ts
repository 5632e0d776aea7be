/** Subscribers of each market-data stream. A message is built once for all subscribers of its stream. */
import * as Frame from "@venue/api/marketData/Frame"
import * as Subscription from "@venue/api/marketData/Subscription"
import { maxPulseBytes, type Transport } from "../socket/Transport.ts"

/** Transport functions that a subscriber needs. */
export type Outlet = Pick<Transport, "send" | "close" | "waitingBytes" | "isOverfull">

export interface Subscriber {
  readonly transport: Outlet
  /** Keys of the subscribed streams. */
  readonly keys: Set<string>
  /** Streams whose value was skipped because too many bytes were unread. Their latest value is still to be sent. */
  readonly due: Map<string, Subscription.Topic>
  sequence: number
}

interface Stream {
  readonly topic: Subscription.Topic
  readonly subscribers: Set<Subscriber>
}

/** Returns the body to send on a stream, or undefined if there is nothing to send. */
export type ValueOf = (topic: Subscription.Topic) => Frame.Body | undefined

export interface Streams {
  readonly open: (transport: Outlet) => Subscriber
  readonly leave: (subscriber: Subscriber) => void
  readonly subscribe: (subscriber: Subscriber, topic: Subscription.Topic) => void
  readonly unsubscribe: (subscriber: Subscriber, topic: Subscription.Topic) => void
  readonly hasSubscribers: (channel: Subscription.Channel) => boolean
  /** Returns a stream's subscribers, or undefined if the stream has never had one. */
  readonly subscribersOf: (topic: Subscription.Topic) => ReadonlySet<Subscriber> | undefined
  /**
   * Sends the value of each stream in a channel. A value is not sent but marked as due for a subscriber with over 64
   * KiB unread.
   */
  readonly pulse: (channel: Subscription.Channel, valueOf: ValueOf) => void
  /** Sends a value to every subscriber regardless of unread bytes, because no later value repeats it. */
  readonly sendFinal: (channel: Subscription.Channel, valueOf: ValueOf) => void
  /** True while any subscriber has a due value. */
  readonly areDue: () => boolean
  /** Sends due values to the subscribers that have read enough. */
  readonly catchUp: (valueOf: ValueOf) => void
}

/** Sends a body with the subscriber's next sequence number. */
export const sendBody = (streams: Streams, subscriber: Subscriber, body: Frame.Body): void =>
  sendText(streams, subscriber, Frame.frame(body, ++subscriber.sequence))

/** Sends a confirmation or an error, which have no sequence number. Closes a subscriber that reads too slowly. */
export const sendText = (streams: Streams, subscriber: Subscriber, text: string): void => {
  subscriber.transport.send(text)
  if (!subscriber.transport.isOverfull()) return
  subscriber.transport.close(1013, "the client did not read its frames; 1 MiB was waiting")
  streams.leave(subscriber)
}

export const make = (): Streams => {
  const streams = new Map<string, Stream>()
  /** Subscribers with due values. */
  const late = new Set<Subscriber>()
  const subscribersOf = (topic: Subscription.Topic) => streams.get(Subscription.keyOf(topic))?.subscribers
  /** Yields the body of each stream in a channel that has subscribers. */
  function* bodiesOf(channel: Subscription.Channel, valueOf: ValueOf) {
    for (const [key, { subscribers, topic }] of streams) {
      if (topic.channel !== channel || subscribers.size === 0) continue
      const body = valueOf(topic)
      if (body !== undefined) yield { key, topic, subscribers, body }
    }
  }
  const self: Streams = {
    open: (transport) => ({ transport, keys: new Set(), due: new Map(), sequence: 0 }),
    leave: (subscriber) => {
      for (const key of subscriber.keys) streams.get(key)?.subscribers.delete(subscriber)
      subscriber.keys.clear()
      late.delete(subscriber)
    },
    subscribe: (subscriber, topic) => {
      const key = Subscription.keyOf(topic)
      const stream = streams.get(key) ?? { topic, subscribers: new Set() }
      streams.set(key, stream)
      subscriber.keys.add(key)
      stream.subscribers.add(subscriber)
    },
    unsubscribe: (subscriber, topic) => {
      const key = Subscription.keyOf(topic)
      subscriber.keys.delete(key)
      subscriber.due.delete(key)
      streams.get(key)?.subscribers.delete(subscriber)
    },
    hasSubscribers: (channel) =>
      [...streams.values()].some(({ subscribers, topic }) => topic.channel === channel && subscribers.size > 0),
    subscribersOf,
    sendFinal: (channel, valueOf) => {
      for (const { body, subscribers } of bodiesOf(channel, valueOf)) {
        for (const subscriber of subscribers) sendBody(self, subscriber, body)
      }
    },
    pulse: (channel, valueOf) => {
      for (const { body, key, subscribers, topic } of bodiesOf(channel, valueOf)) {
        for (const subscriber of subscribers) {
          if (hasRoom(subscriber)) {
            subscriber.due.delete(key)
            sendBody(self, subscriber, body)
          } else {
            subscriber.due.set(key, topic)
            late.add(subscriber)
          }
        }
      }
    },
    areDue: () => late.size > 0,
    catchUp: (valueOf) => {
      for (const subscriber of late) {
        for (const [key, topic] of subscriber.due) {
          if (!hasRoom(subscriber)) break
          subscriber.due.delete(key)
          const body = valueOf(topic)
          if (body !== undefined) sendBody(self, subscriber, body)
        }
        if (subscriber.due.size === 0) late.delete(subscriber)
      }
    }
  }
  return self
}

const hasRoom = ({ transport }: Subscriber): boolean => transport.waitingBytes() <= maxPulseBytes
