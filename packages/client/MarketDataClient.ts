/** Client of the market-data socket: subscribes, detects missing frames, and reconnects after a loss. */
import type { Subscribe } from "@venue/api/marketData/CommandSchema"
import { type Data, type ErrorFrame, Frame } from "@venue/api/marketData/FrameSchema"
import { Effect, Option, type Queue, Schema, type Scope } from "effect"
import { type Backoff, keepOpen, patient, type Session } from "./ReconnectingSocket.ts"
import * as SocketEvents from "./SocketEvents.ts"

/** Subscriptions and socket URL. */
export interface MarketDataOptions extends Omit<Subscribe, "type"> {
  readonly url: string
  readonly backoff?: Backoff
}

/**
 * Event from the market-data socket. Each frame replaces the previous frame of its stream: a `level2` frame is a full
 * snapshot. An error frame lists the refused parts of the subscription; the other parts stay subscribed.
 */
export type MarketDataEvent = SocketEvents.SocketEvent<Data | typeof ErrorFrame.Type>

/** An open market-data client. */
export interface MarketDataClient {
  /**
   * Bounded event queue. If the queue is full or a frame is missing, the client drops the connection, and the next
   * connection starts with current values. The frames between `Connected` and `Disconnected` therefore have no gap.
   */
  readonly events: Queue.Dequeue<MarketDataEvent>
}

/** Opens a client that stays connected until the scope closes. */
export const make = Effect.fn("MarketDataClient.make")(function* (
  options: MarketDataOptions
): Effect.fn.Return<MarketDataClient, never, Scope.Scope> {
  const { backoff = patient, url, ...streams } = options
  const events = yield* SocketEvents.make<Data | typeof ErrorFrame.Type>()
  const greeting = Effect.succeed(JSON.stringify({ type: "subscribe", ...streams }))
  let sequence = 0

  const publish = (frame: Data | typeof ErrorFrame.Type, session: Session): void => {
    if (!events.add({ _tag: "Received", frame })) session.drop(SocketEvents.unread)
  }
  const received = (text: string, session: Session): void => {
    const frame = Option.getOrUndefined(read(text))
    if (frame === undefined) {
      events.add({ _tag: "Unreadable", text })
    } else if ("err" in frame) {
      publish(frame, session)
    } else if (frame.type === "subscribed") {
      session.established()
      events.add({ _tag: "Connected" })
    } else if (frame.type !== "unsubscribed") {
      if (frame.sequence === ++sequence) publish(frame, session)
      else session.drop(`expected frame ${sequence}, received frame ${frame.sequence}`)
    }
  }
  const opened = (): void => {
    sequence = 0
  }
  const closed = (reason: string): void => {
    events.disconnected(reason)
  }
  yield* Effect.forkScoped(keepOpen(url, { greeting, opened, received, closed }, backoff))
  return { events: events.queue }
})

/** Decodes a frame; returns `Option.none` for invalid text. */
const read = Schema.decodeUnknownOption(Schema.fromJsonString(Frame))
