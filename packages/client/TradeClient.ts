/** Client of the trade socket: signs in, subscribes, and reconnects after a loss. */
import type { AddOrder, CancelOrder, Channel, Command, PreviewOrder } from "@venue/api/trade/CommandSchema"
import type { ErrorResponse } from "@venue/api/ErrorFrame"
import {
  type CancelAllAfterResponse,
  Frame,
  type OrderResponse,
  type PreviewResponse
} from "@venue/api/trade/FrameSchema"
import { Effect, Option, type Queue, Schema, type Scope } from "effect"
import type { Credentials } from "./Credentials.ts"
import { type Backoff, keepOpen, patient, type Session } from "./ReconnectingSocket.ts"
import * as SocketEvents from "./SocketEvents.ts"

/** Socket URL, credentials and channels. */
export interface TradeClientOptions {
  readonly url: string
  readonly credentials: Credentials
  readonly channels: ReadonlyArray<Channel>
  /** Account to trade on; default: the primary account. */
  readonly accountId?: string
  readonly backoff?: Backoff
}

/** Event from the trade socket. */
export type TradeEvent = SocketEvents.SocketEvent<Frame>

/** The socket is not connected; the command was not sent. */
export class NotConnected extends Schema.TaggedError<NotConnected>()("NotConnected", {}) {}

/** The venue responded to the command with an error frame. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  code: Schema.String,
  detail: Schema.String
}) {}

/**
 * No response arrived within 10 s, or the connection was lost before the response. The command's outcome is unknown.
 */
export class Unanswered extends Schema.TaggedError<Unanswered>()("Unanswered", { command: Schema.String }) {}

type AskError = NotConnected | CommandFailed | Unanswered

/** Order to place. The client order id identifies the response. */
export type NewOrder = AddOrder["params"] & { readonly client_order_id: string }

/** Order to preview. The client order id identifies the response. */
export type PreviewedOrder = PreviewOrder["params"] & { readonly client_order_id: string }

/** Order or TWAP to cancel. */
export type OrderToCancel = Extract<
  CancelOrder["params"],
  { readonly order_id: string; readonly cancel_order_id_type: string }
>

/** An open trade client. */
export interface TradeClient {
  /**
   * Bounded event queue. A full queue drops the connection, so that no event is lost or reordered while a connection
   * lasts.
   */
  readonly events: Queue.Dequeue<TradeEvent>
  /** Sends a command; returns false if the socket is not connected. */
  readonly sendUnsafe: (command: Command) => boolean
  /** Sends a command without waiting for the response. */
  readonly send: (command: Command) => Effect.Effect<void, NotConnected>
  /** Sends a command and returns the first result that `pick` extracts from a frame. */
  readonly ask: <A>(command: Command, pick: (frame: Frame) => Option.Option<A>) => Effect.Effect<A, AskError>
  /** Places an order and returns its `ACK` or refusal. Requires the `order_responses` channel. */
  readonly place: (order: NewOrder) => Effect.Effect<OrderResponse, AskError>
  /** Previews an order without placing it. */
  readonly preview: (order: PreviewedOrder) => Effect.Effect<PreviewResponse, AskError>
  /**
   * Sets the dead-man switch, which cancels the account's orders after 5 to 600 s unless the switch is set again
   * first; 0 turns it off. Set it again every third of the timeout.
   */
  readonly cancelAllAfter: (timeoutSeconds: number) => Effect.Effect<CancelAllAfterResponse, AskError>
  /**
   * Cancels orders and returns the first order's response, or `NO_SUCH_ORDER`. Requires the `order_responses`
   * channel.
   */
  readonly cancel: (order: OrderToCancel) => Effect.Effect<OrderResponse, AskError>
}

const answerWithin = "10 seconds"

/** Opens a client that stays connected until the scope closes. */
export const make = Effect.fn("TradeClient.make")(function* (
  options: TradeClientOptions
): Effect.fn.Return<TradeClient, never, Scope.Scope> {
  const events = yield* SocketEvents.make<Frame>()
  const waiting = new Set<Waiter>()
  let current: Session | null = null
  let unconfirmed = 0

  const ready = (session: Session): void => {
    current = session
    session.established()
    events.add({ _tag: "Connected" })
  }
  const received = (text: string, session: Session): void => {
    const frame = Option.getOrUndefined(read(text))
    if (frame === undefined) {
      events.add({ _tag: "Unreadable", text })
    } else if (frame.authenticated === true) {
      if (unconfirmed === 0) return ready(session)
      session.send(JSON.stringify({ type: "subscribe", params: { channels: options.channels } }))
    } else if (frame.subscribed !== undefined && current === null) {
      if (--unconfirmed === 0) ready(session)
    } else if (frame.err !== undefined && current === null) {
      session.drop(`${frame.err.error_code} ${frame.err.message}`.trim())
    } else {
      for (const waiter of waiting) if (waiter.take(frame)) waiting.delete(waiter)
      if (!events.add({ _tag: "Received", frame })) session.drop(SocketEvents.unread)
    }
  }
  const closed = (reason: string): void => {
    current = null
    for (const waiter of waiting) waiter.lost()
    waiting.clear()
    events.disconnected(reason)
  }
  const opened = (): void => {
    unconfirmed = options.channels.length
  }
  const greeting = Effect.map(options.credentials.params, (credential) =>
    JSON.stringify({
      type: "auth",
      params: { ...credential, ...(options.accountId === undefined ? {} : { account_id: options.accountId }) }
    })
  )
  yield* Effect.forkScoped(keepOpen(options.url, { greeting, opened, received, closed }, options.backoff ?? patient))

  const sendUnsafe = (command: Command): boolean => current !== null && current.send(JSON.stringify(command))

  const ask = askOver(sendUnsafe, waiting)
  return {
    events: events.queue,
    sendUnsafe,
    send: (command) => Effect.suspend(() => (sendUnsafe(command) ? Effect.void : Effect.fail(new NotConnected()))),
    ask,
    place: (params) =>
      ask({ type: "add_order", params }, ({ order_response }) =>
        Option.filter(Option.fromNullishOr(order_response), (order) => order.client_order_id === params.client_order_id)
      ),
    preview: (params) =>
      ask({ type: "preview_order", params }, ({ preview_response }) =>
        Option.filter(
          Option.fromNullishOr(preview_response),
          (preview) => preview.client_order_id === params.client_order_id
        )
      ),
    cancelAllAfter: (timeout_secs) =>
      ask({ type: "cancel_all_after", params: { timeout_secs } }, ({ cancel_all_after_response }) =>
        Option.filter(
          Option.fromNullishOr(cancel_all_after_response),
          (response) => response.timeout_secs === timeout_secs
        )
      ),
    cancel: (params) =>
      ask({ type: "cancel_order", params }, ({ order_response }) =>
        Option.filter(Option.fromNullishOr(order_response), (order) => endsCancel(order, params))
      )
  }
})

interface Waiter {
  /** Returns true if the frame was the awaited response. */
  readonly take: (frame: Frame) => boolean
  readonly lost: () => void
}

/** Returns `ask`, which keeps a waiter registered until the response, the timeout or an interruption. */
const askOver =
  (sendUnsafe: TradeClient["sendUnsafe"], waiting: Set<Waiter>): TradeClient["ask"] =>
  <A>(command: Command, pick: (frame: Frame) => Option.Option<A>) =>
    Effect.callback<A, AskError>((resume) => {
      const waiter: Waiter = {
        take: (frame) => {
          const error = failureOf(command, frame)
          if (error !== undefined) {
            resume(Effect.fail(error))
            return true
          }
          const answer = pick(frame)
          if (Option.isNone(answer)) return false
          resume(Effect.succeed(answer.value))
          return true
        },
        lost: () => resume(Effect.fail(new Unanswered({ command: command.type })))
      }
      waiting.add(waiter)
      if (!sendUnsafe(command)) {
        waiting.delete(waiter)
        resume(Effect.fail(new NotConnected()))
      }
      return Effect.sync(() => waiting.delete(waiter))
    }).pipe(
      Effect.timeoutOrElse({
        duration: answerWithin,
        orElse: () => Effect.fail(new Unanswered({ command: command.type }))
      })
    )

/** Decodes a frame. Returns `Option.none` for text that is not a JSON object, or if a known key fails its schema. */
const read = Schema.decodeUnknownOption(Schema.fromJsonString(Frame))

/**
 * Returns the command's failure if the error frame echoes the command's type and ids. Error frames have no ids of
 * their own.
 */
function failureOf(command: Command, { err }: Frame): CommandFailed | undefined {
  if (err === undefined) return undefined
  const request = requestOf(err)
  const orderId = "order_id" in command.params ? (command.params.order_id ?? "") : ""
  const clientOrderId = "client_order_id" in command.params ? (command.params.client_order_id ?? "") : ""
  const isOurs = request.type === command.type && request.orderId === orderId && request.clientOrderId === clientOrderId
  return isOurs ? new CommandFailed({ code: err.error_code, detail: err.message }) : undefined
}

/** Type and ids of the request that an error frame echoes. An absent member is "". */
export interface Request {
  readonly type: string
  readonly orderId: string
  readonly clientOrderId: string
}

/**
 * Returns the type and ids of the echoed request. All fields are "" if the echo is not a JSON object: a long request
 * is echoed as a string.
 */
export const requestOf = ({ incoming_message: request }: ErrorResponse): Request => {
  const { params, type } = Option.getOrElse(readRequest(request), (): typeof IncomingRequest.Type => ({}))
  return { type: type ?? "", orderId: params?.order_id ?? "", clientOrderId: params?.client_order_id ?? "" }
}

const IncomingRequest = Schema.Struct({
  type: Schema.optionalKey(Schema.String),
  params: Schema.optionalKey(
    Schema.Struct({
      order_id: Schema.optionalKey(Schema.NullOr(Schema.String)),
      client_order_id: Schema.optionalKey(Schema.NullOr(Schema.String))
    })
  )
})

const readRequest = Schema.decodeUnknownOption(IncomingRequest)

function endsCancel(order: OrderResponse, { cancel_order_id_type, order_id }: OrderToCancel): boolean {
  if (order.status !== "CANCELLED" && order.status !== "NO_SUCH_ORDER") return false
  const byVenue = cancel_order_id_type === "order_id" || cancel_order_id_type === "twap_id"
  return (byVenue ? order.order_id : order.client_order_id) === order_id
}
