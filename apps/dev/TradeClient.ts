/** A client of the trade socket for our own programs: signs in, subscribes, comes back after a loss. */
import { Clock, Effect, Option, Queue, Redacted, Schema, type Scope } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import { type Backoff, keepOpen, patient, type Session } from "./ReconnectingSocket.ts"
import {
  type AddOrder,
  type CancelOrder,
  type Channel,
  type Command,
  type Frame,
  type OrderResponse,
  read,
  requestOf
} from "./TradeFrame.ts"

export interface TradeKeys {
  readonly publicKey: string
  readonly secretKey: Redacted.Redacted
}

export interface TradeClientOptions {
  readonly url: string
  readonly keys: TradeKeys
  readonly channels: ReadonlyArray<Channel>
  readonly backoff?: Backoff
}

/** Everything that happens, in order. `Connected` means signed in and subscribed. */
export type TradeEvent =
  | { readonly _tag: "Connected" }
  | { readonly _tag: "Disconnected"; readonly reason: string }
  | { readonly _tag: "Received"; readonly frame: Frame }
  | { readonly _tag: "Unreadable"; readonly text: string }

export class NotConnected extends Schema.TaggedError<NotConnected>()("NotConnected", {}) {}

/** The command was answered by an error frame. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  code: Schema.String,
  detail: Schema.String
}) {}

/** No answer came, or the connection was lost first: the outcome is unknown. */
export class Unanswered extends Schema.TaggedError<Unanswered>()("Unanswered", { command: Schema.String }) {}

type AskError = NotConnected | CommandFailed | Unanswered

export interface TradeClient {
  /** Bounded: who does not read loses the connection, not the order of events. */
  readonly events: Queue.Dequeue<TradeEvent>
  /** False when there is no connection. */
  readonly sendUnsafe: (command: Command) => boolean
  readonly send: (command: Command) => Effect.Effect<void, NotConnected>
  /** Sends and waits for the first frame that `pick` takes for the answer. */
  readonly ask: <A>(command: Command, pick: (frame: Frame) => Option.Option<A>) => Effect.Effect<A, AskError>
  /** The first word on a new order: `ACK`, or a refusal with an empty order id. */
  readonly place: (order: AddOrder) => Effect.Effect<OrderResponse, AskError>
  /** The first order cancelled, or `NO_SUCH_ORDER`. */
  readonly cancel: (order: CancelOrder) => Effect.Effect<OrderResponse, AskError>
}

const maxEvents = 16_384
const answerWithin = "10 seconds"

export const make = Effect.fn("TradeClient.make")(function* (
  options: TradeClientOptions
): Effect.fn.Return<TradeClient, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const events = yield* Queue.dropping<TradeEvent>(maxEvents)
  const waiting = new Set<Waiter>()
  let current: Session | null = null
  let unconfirmed = 0

  const ready = (session: Session): void => {
    current = session
    session.established()
    Queue.offerUnsafe(events, { _tag: "Connected" })
  }
  const received = (text: string, session: Session): void => {
    const frame = Option.getOrUndefined(read(text))
    if (frame === undefined) {
      Queue.offerUnsafe(events, { _tag: "Unreadable", text })
      return
    }
    if (frame.authenticated === true) {
      if (unconfirmed === 0) return ready(session)
      session.send(JSON.stringify({ type: "subscribe", params: { channels: options.channels } }))
    } else if (frame.subscribed !== undefined && current === null) {
      if (--unconfirmed === 0) ready(session)
    } else if (frame.err !== undefined && current === null) {
      session.drop(`${frame.err.error_code} ${frame.err.message ?? ""}`.trim())
    } else {
      for (const waiter of waiting) if (waiter.take(frame)) waiting.delete(waiter)
      if (!Queue.offerUnsafe(events, { _tag: "Received", frame })) session.drop("events were not read in time")
    }
  }
  const closed = (reason: string): void => {
    current = null
    for (const waiter of waiting) waiter.lost()
    waiting.clear()
    // Room for the news itself when the queue was full.
    if (Queue.isFullUnsafe(events)) Queue.takeUnsafe(events)
    Queue.offerUnsafe(events, { _tag: "Disconnected", reason })
  }
  const opened = (session: Session): void => {
    unconfirmed = options.channels.length
    session.send(authentication(options.keys, Math.floor(clock.currentTimeMillisUnsafe() / 1000)))
  }
  yield* Effect.forkScoped(keepOpen(options.url, { opened, received, closed }, options.backoff ?? patient))

  const sendUnsafe = (command: Command): boolean => current !== null && current.send(JSON.stringify(command))

  const ask = <A>(command: Command, pick: (frame: Frame) => Option.Option<A>): Effect.Effect<A, AskError> =>
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

  return {
    events,
    sendUnsafe,
    send: (command) => Effect.suspend(() => (sendUnsafe(command) ? Effect.void : Effect.fail(new NotConnected()))),
    ask,
    place: (params) =>
      ask({ type: "add_order", params }, ({ order_response }) =>
        Option.filter(Option.fromNullishOr(order_response), (order) => order.client_order_id === params.client_order_id)
      ),
    cancel: (params) =>
      ask({ type: "cancel_order", params }, ({ order_response }) =>
        Option.filter(Option.fromNullishOr(order_response), (order) => endsCancel(order, params))
      )
  }
})

interface Waiter {
  /** True when the frame was the answer. */
  readonly take: (frame: Frame) => boolean
  readonly lost: () => void
}

function authentication(keys: TradeKeys, seconds: number): string {
  const nonce = randomBytes(16).toString("hex")
  const signature = createHmac("sha256", Redacted.value(keys.secretKey)).update(`${nonce}:${seconds}`).digest("hex")
  return JSON.stringify({
    type: "auth",
    params: { hmac: { public_key: keys.publicKey, nonce, unix_ts: seconds, signature } }
  })
}

/** Errors carry no id of their own: they answer the command whose ids they echo. */
function failureOf(command: Command, { err }: Frame): CommandFailed | undefined {
  if (err === undefined) return undefined
  const request = requestOf(err)
  const orderId = "order_id" in command.params ? command.params.order_id : undefined
  const clientOrderId = "client_order_id" in command.params ? command.params.client_order_id : undefined
  const isOurs =
    request?.type === command.type &&
    request.params?.order_id === orderId &&
    request.params?.client_order_id === clientOrderId
  return isOurs ? new CommandFailed({ code: err.error_code, detail: err.message ?? "" }) : undefined
}

function endsCancel(order: OrderResponse, { cancel_order_id_type, order_id }: CancelOrder): boolean {
  if (order.status !== "CANCELLED" && order.status !== "NO_SUCH_ORDER") return false
  return (cancel_order_id_type === "order_id" ? order.order_id : order.client_order_id) === order_id
}
