/** Demo user on the trade socket: prints every order response and fill, and keeps the latest state. */
import type {
  BalanceResponse,
  FillResponse,
  Frame,
  OrderResponse,
  PositionResponse
} from "@venue/api/trade/FrameSchema"
import * as Credentials from "@venue/client/Credentials"
import * as TradeClient from "@venue/client/TradeClient"
import { Console, Effect, Queue, Schema, type Scope } from "effect"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type { DevUser } from "./DevFile.ts"
import { text } from "./DemoText.ts"

/** The demo cannot continue. The message is shown to the person who runs the demo. */
export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { message: Schema.String }) {}

export interface DemoAccount {
  readonly name: string
  readonly client: TradeClient.TradeClient
  /** Latest state. Changes with every frame. */
  readonly state: {
    connected: boolean
    lost: string
    balance: BalanceResponse | undefined
    readonly positions: Map<string, PositionResponse>
    readonly fills: Array<FillResponse>
    /** Last response for each order, by client order id. */
    readonly orders: Map<string, OrderResponse>
    /** Open stops, by order id. A bracket's stops have the client order id of its order. */
    readonly stops: Map<string, OrderResponse>
  }
}

export const open = Effect.fn("DemoAccount.open")(function* (
  user: DevUser,
  url: string
): Effect.fn.Return<DemoAccount, DemoFailed, Scope.Scope | SecureRandom> {
  const credentials = yield* Credentials.ofApiKey({ publicKey: user.public_key, secretKey: user.secret_key })
  const channels = ["order_responses", "fills", "positions", "balances"] as const
  const client = yield* TradeClient.make({ url, credentials, channels })
  const state: DemoAccount["state"] = {
    connected: false,
    lost: "no answer",
    balance: undefined,
    positions: new Map(),
    fills: [],
    orders: new Map(),
    stops: new Map()
  }
  const happened = (event: TradeClient.TradeEvent): Effect.Effect<void> => {
    if (event._tag === "Received") return receive(user.name, state, event.frame)
    if (event._tag === "Connected") state.connected = true
    if (event._tag === "Disconnected") state.lost = event.reason
    return Effect.void
  }
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(client.events), happened)))
  // A refused key stays refused, but an unreachable venue might still respond.
  const isDecided = () => (state.connected || state.lost.startsWith("PermissionDenied") ? true : undefined)
  const complaint = () => `${user.name} cannot sign in at ${url}: ${state.lost}`
  yield* eventually(isDecided, complaint)
  if (!state.connected) return yield* new DemoFailed({ message: complaint() })
  return { name: user.name, client, state }
})

/** Polls `look` until it returns a value. Fails with `complaint` after 10 s. */
export const eventually = Effect.fnUntraced(function* <A>(look: () => A | undefined, complaint: () => string) {
  for (let waited = 0; waited < patienceMillis; waited += lookEveryMillis) {
    const value = look()
    if (value !== undefined) return value
    yield* Effect.sleep(lookEveryMillis)
  }
  return yield* new DemoFailed({ message: complaint() })
})

/** Places an order and returns its first response. Fails the demo if the order is refused. */
export const place = Effect.fnUntraced(function* (account: DemoAccount, order: TradeClient.NewOrder) {
  const answer = yield* account.client
    .place(order)
    .pipe(
      Effect.mapError(
        (error) => new DemoFailed({ message: `${account.name}'s order got no response: ${reasonOf(error)}` })
      )
    )
  if (answer.order_id !== "") return answer
  return yield* new DemoFailed({ message: `${account.name}'s order was refused: ${answer.status}` })
})

/** Waits for the last response to an order that completes without a cancel. */
export const ended = (account: DemoAccount, clientOrderId: string) =>
  eventually(
    () => {
      const order = account.state.orders.get(clientOrderId)
      return order !== undefined && isOver(order) ? order : undefined
    },
    () => `${account.name}'s order ${clientOrderId} is still open`
  )

export const isOver = (order: OrderResponse): boolean =>
  order.status === "FILLED" ? order.quantity_remaining === 0 : order.status !== "ACK" && order.status !== "MODIFIED"

export const positionOf = (account: DemoAccount, symbol: string): number =>
  account.state.positions.get(symbol)?.position ?? 0

const patienceMillis = 10_000
const lookEveryMillis = 20

const receive = (name: string, state: DemoAccount["state"], frame: Frame): Effect.Effect<void> => {
  if (frame.balance_response !== undefined) state.balance = frame.balance_response
  if (frame.position_response !== undefined)
    state.positions.set(frame.position_response.symbol, frame.position_response)
  if (frame.err !== undefined)
    return Console.log(`  ${name.padEnd(6)} error ${frame.err.error_code} ${frame.err.message}`)
  if (frame.fill_response !== undefined) {
    const fill = frame.fill_response
    state.fills.push(fill)
    const role = fill.side === fill.aggressor_side ? "taker" : "maker"
    return Console.log(
      `  ${name.padEnd(6)} fill     ${fill.side} ${text(fill.quantity)} ${fill.symbol} at ${text(fill.price)}, ` +
        `fee ${text(fill.fee)} (${role}), trade ${fill.trade_id}`
    )
  }
  if (frame.order_response === undefined) return Effect.void
  const order = frame.order_response
  const isStop = order.type === "TAKE_PROFIT" || order.type === "STOP_LOSS"
  if (!isStop) state.orders.set(order.client_order_id, order)
  if (isStop && order.status !== "CANCELLED") state.stops.set(order.order_id, order)
  else state.stops.delete(order.order_id)
  return Console.log(
    `  ${name.padEnd(6)} order    ${order.status} ${order.side ?? ""} ${text(order.quantity)} ${order.symbol} at ` +
      `${text(order.price)} ${order.type ?? ""} ${order.time_in_force ?? ""}, remaining ${text(order.quantity_remaining)}`
  )
}

const reasonOf = (error: TradeClient.NotConnected | TradeClient.CommandFailed | TradeClient.Unanswered): string =>
  error._tag === "CommandFailed" ? `${error.code} ${error.detail}` : error._tag
