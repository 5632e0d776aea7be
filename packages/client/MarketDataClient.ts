/** A client of the market-data socket: subscribes, sees holes, and comes back after a loss. */
import type { Subscribe } from "@venue/api/marketData/CommandSchema"
import { type Data, type ErrorFrame, Frame } from "@venue/api/marketData/FrameSchema"
import { Effect, Option, type Queue, Schema, type Scope } from "effect"
import { type Backoff, keepOpen, patient, type Session } from "./ReconnectingSocket.ts"
import * as SocketEvents from "./SocketEvents.ts"

export interface MarketDataOptions extends Omit<Subscribe, "type"> {
  readonly url: string
  readonly backoff?: Backoff
}

/**
 * A value takes the place of the last one of its stream: a `level2` is the whole book, to its depth. An error says what
 * of the streams is not to be had; the others are told all the same.
 */
export type MarketDataEvent = SocketEvents.SocketEvent<Data | typeof ErrorFrame.Type>

export interface MarketDataClient {
  /**
   * Bounded: who does not read loses the connection, and gets every value anew with the next. So it is when a frame was
   * missing: between `Connected` and `Disconnected` there is no hole.
   */
  readonly events: Queue.Dequeue<MarketDataEvent>
}

export const make = Effect.fn("MarketDataClient.make")(function* (
  options: MarketDataOptions
): Effect.fn.Return<MarketDataClient, never, Scope.Scope> {
  const { backoff = patient, url, ...streams } = options
  const events = yield* SocketEvents.make<Data | typeof ErrorFrame.Type>()
  const greeting = Effect.succeed(JSON.stringify({ type: "subscribe", ...streams }))
  let sequence = 0

  const tell = (frame: Data | typeof ErrorFrame.Type, session: Session): void => {
    if (!events.add({ _tag: "Received", frame })) session.drop(SocketEvents.unread)
  }
  const received = (text: string, session: Session): void => {
    const frame = Option.getOrUndefined(read(text))
    if (frame === undefined) {
      events.add({ _tag: "Unreadable", text })
    } else if ("err" in frame) {
      tell(frame, session)
    } else if (frame.type === "subscribed") {
      session.established()
      events.add({ _tag: "Connected" })
    } else if (frame.type !== "unsubscribed") {
      if (frame.sequence === ++sequence) tell(frame, session)
      else session.drop(`frame ${sequence} is missing, ${frame.sequence} came`)
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

/** None for what is no frame of this socket. */
const read = Schema.decodeUnknownOption(Schema.fromJsonString(Frame))
