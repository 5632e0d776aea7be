/** Who hears which stream of market data; each message is built once for all of them. */
import * as Frame from "@venue/api/marketData/Frame"
import * as Subscription from "@venue/api/marketData/Subscription"
import { maxPulseBytes, type Transport } from "../socket/Transport.ts"

/** The end of a connection that streams are told to. */
export type Outlet = Pick<Transport, "send" | "close" | "waitingBytes" | "isOverfull">

export interface Listener {
  readonly transport: Outlet
  /** These are the keys of the streams that it hears. */
  readonly keys: Set<string>
  /** A pulse of these passed it by while it had much to read; what they say by then is due to it. */
  readonly due: Map<string, Subscription.Topic>
  sequence: number
}

interface Stream {
  readonly topic: Subscription.Topic
  readonly listeners: Set<Listener>
}

/** Undefined where there is nothing to tell. */
export type ValueOf = (topic: Subscription.Topic) => Frame.Body | undefined

export interface Streams {
  readonly open: (transport: Outlet) => Listener
  readonly leave: (listener: Listener) => void
  readonly subscribe: (listener: Listener, topic: Subscription.Topic) => void
  readonly unsubscribe: (listener: Listener, topic: Subscription.Topic) => void
  readonly isHeard: (channel: Subscription.Channel) => boolean
  /** They hear one stream, or nobody does. */
  readonly hearing: (topic: Subscription.Topic) => ReadonlySet<Listener> | undefined
  /** Tells the value of every stream of a channel that is heard; it is due to those who have much to read yet. */
  readonly pulse: (channel: Subscription.Channel, valueOf: ValueOf) => void
  /** Tells it as a trade is told: to those too who have much to read, since nothing that comes later says it. */
  readonly conclude: (channel: Subscription.Channel, valueOf: ValueOf) => void
  readonly areDue: () => boolean
  /** Tells what is due to those who have read meanwhile. */
  readonly catchUp: (valueOf: ValueOf) => void
}

/** The next message in a listener's numbering. */
export const tell = (streams: Streams, listener: Listener, body: Frame.Body): void =>
  say(streams, listener, Frame.frame(body, ++listener.sequence))

/** A confirmation or an error has no number. */
export const say = (streams: Streams, listener: Listener, text: string): void => {
  listener.transport.send(text)
  if (!listener.transport.isOverfull()) return
  listener.transport.close(1013, "frames were not read; 1 MiB was waiting")
  streams.leave(listener)
}

export const make = (): Streams => {
  const streams = new Map<string, Stream>()
  /** Something is due to these. */
  const late = new Set<Listener>()
  const hearing = (topic: Subscription.Topic) => streams.get(Subscription.keyOf(topic))?.listeners
  /** What the streams of a channel say that somebody hears. */
  function* said(channel: Subscription.Channel, valueOf: ValueOf) {
    for (const [key, { listeners, topic }] of streams) {
      if (topic.channel !== channel || listeners.size === 0) continue
      const body = valueOf(topic)
      if (body !== undefined) yield { key, topic, listeners, body }
    }
  }
  const self: Streams = {
    open: (transport) => ({ transport, keys: new Set(), due: new Map(), sequence: 0 }),
    leave: (listener) => {
      for (const key of listener.keys) streams.get(key)?.listeners.delete(listener)
      listener.keys.clear()
      late.delete(listener)
    },
    subscribe: (listener, topic) => {
      const key = Subscription.keyOf(topic)
      const stream = streams.get(key) ?? { topic, listeners: new Set() }
      streams.set(key, stream)
      listener.keys.add(key)
      stream.listeners.add(listener)
    },
    unsubscribe: (listener, topic) => {
      const key = Subscription.keyOf(topic)
      listener.keys.delete(key)
      listener.due.delete(key)
      streams.get(key)?.listeners.delete(listener)
    },
    isHeard: (channel) =>
      [...streams.values()].some(({ listeners, topic }) => topic.channel === channel && listeners.size > 0),
    hearing,
    conclude: (channel, valueOf) => {
      for (const { body, listeners } of said(channel, valueOf)) {
        for (const listener of listeners) tell(self, listener, body)
      }
    },
    pulse: (channel, valueOf) => {
      for (const { body, key, listeners, topic } of said(channel, valueOf)) {
        for (const listener of listeners) {
          if (hasRoom(listener)) {
            listener.due.delete(key)
            tell(self, listener, body)
          } else {
            listener.due.set(key, topic)
            late.add(listener)
          }
        }
      }
    },
    areDue: () => late.size > 0,
    catchUp: (valueOf) => {
      for (const listener of late) {
        for (const [key, topic] of listener.due) {
          if (!hasRoom(listener)) break
          listener.due.delete(key)
          const body = valueOf(topic)
          if (body !== undefined) tell(self, listener, body)
        }
        if (listener.due.size === 0) late.delete(listener)
      }
    }
  }
  return self
}

const hasRoom = ({ transport }: Listener): boolean => transport.waitingBytes() <= maxPulseBytes
