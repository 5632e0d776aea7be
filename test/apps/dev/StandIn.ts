/** Minimal stand-in for a venue: handles the frames that our own programs use, and checks nothing else. */
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"

interface StandInOrder {
  readonly order_id: string
  readonly client_order_id: string
  readonly user: string
  readonly side: "BUY" | "SELL"
  readonly type: string
  readonly time_in_force: string
  symbol: string
  price: number
  quantity: number
  quantity_remaining: number
}

interface NewOrder {
  readonly symbol: string
  readonly side: "BUY" | "SELL"
  readonly order_type: string
  readonly order_time_in_force: string
  readonly quantity: number
  readonly price: number
  readonly client_order_id: string
  readonly take_profit?: number
  readonly stop_loss?: number
}

interface Command {
  readonly type: string
  readonly params: NewOrder & {
    readonly hmac: {
      readonly public_key: string
      readonly nonce: string
      readonly unix_ts: number
      readonly signature: string
    }
    readonly channels: ReadonlyArray<string>
    readonly order_id: string
  }
}

const bases: ReadonlyArray<readonly [string, string, string]> = [
  ["AAPL-USD", "0.01", "0.001"],
  ["EUR-USD", "0.00001", "1"]
]

export class StandIn {
  readonly open = new Map<string, StandInOrder>()
  readonly stops = new Set<StandInOrder>()
  readonly commands: Array<Command> = []
  readonly marks = new Map([
    ["AAPL-USD", 200],
    ["EUR-USD", 1.085]
  ])
  readonly #server = createServer((_request, response) => response.end(JSON.stringify(refdata)))
  readonly #sockets = new WebSocketServer({ server: this.#server })
  readonly #users = new Map<WebSocket, string>()
  /** Number of values that each watcher has received. */
  readonly #watchers = new Map<WebSocket, number>()
  readonly #awaited = new Set<() => void>()
  readonly #accounts = new Map<string, { fees: number; realised: number; position: number; basis: number }>()
  #ids = 0

  static readonly start = Effect.acquireRelease(
    Effect.promise(async () => {
      const standIn = new StandIn()
      await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve))
      return standIn
    }),
    (standIn) =>
      Effect.promise(async () => {
        standIn.drop()
        standIn.#server.closeAllConnections()
        await new Promise((resolve) => standIn.#server.close(resolve))
      })
  )

  constructor() {
    this.#sockets.on("connection", (socket, request) => {
      const isTrade = request.url?.startsWith("/trade") === true
      socket.on("message", (data) => {
        if (isTrade) this.#take(socket, JSON.parse(data.toString()))
        else this.#watch(socket)
        for (const look of this.#awaited) look()
      })
      socket.on("close", () => {
        this.#users.delete(socket)
        this.#watchers.delete(socket)
      })
    })
  }

  get urls(): { rest: string; trade: string; market_data: string } {
    const at = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return { rest: `http://${at}`, trade: `ws://${at}/trade`, market_data: `ws://${at}/data` }
  }

  ordersOf(user: string): ReadonlyArray<StandInOrder> {
    return [...this.open.values()].filter((order) => order.user === user)
  }

  /** Waits until a message makes the condition true. */
  when(holds: () => boolean): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const look = (): void => {
        if (holds()) resume(Effect.void)
      }
      this.#awaited.add(look)
      look()
      return Effect.sync(() => this.#awaited.delete(look))
    })
  }

  /** Closes all connections, as a restart does. Resting orders stay open. */
  drop(): void {
    for (const socket of this.#sockets.clients) socket.terminate()
  }

  mark(symbol: string, price: number): void {
    this.marks.set(symbol, price)
    for (const socket of this.#watchers.keys()) this.#watch(socket)
  }

  add(user: string, order: NewOrder): void {
    const {
      client_order_id,
      order_time_in_force: time_in_force,
      order_type: type,
      price,
      quantity,
      side,
      symbol
    } = order
    const added = {
      client_order_id,
      price,
      quantity,
      quantity_remaining: quantity,
      side,
      symbol,
      time_in_force,
      type,
      user
    }
    const taker: StandInOrder = { ...added, order_id: `id-${++this.#ids}` }
    this.#respond(user, taker, "ACK")
    if (type === "ALO" && this.#counterparty(taker) !== undefined) return this.#respond(user, taker, "CANCELLED")
    for (let maker = this.#counterparty(taker); maker !== undefined; maker = this.#counterparty(taker)) {
      this.#trade(maker, taker)
    }
    if (order.take_profit !== undefined) this.#bring(taker, "TAKE_PROFIT", order.take_profit)
    if (order.stop_loss !== undefined) this.#bring(taker, "STOP_LOSS", order.stop_loss)
    if (taker.quantity_remaining === 0) return
    if (time_in_force === "GTC") this.open.set(taker.order_id, taker)
    else this.#respond(user, taker, taker.quantity_remaining < quantity ? "IOC_PARTIALLY_FILLED" : "IOC_CANCELLED")
  }

  #take(socket: WebSocket, command: Command): void {
    const user = this.#users.get(socket)
    const { params, type } = command
    if (user === undefined) {
      const { nonce, public_key, signature, unix_ts } = params.hmac
      const expected = createHmac("sha256", `secret of ${public_key}`).update(`${nonce}:${unix_ts}`).digest("hex")
      if (signature !== expected) {
        socket.send(JSON.stringify({ err: { error_code: "PermissionDenied", message: "" } }))
        return socket.close(1008)
      }
      this.#users.set(socket, public_key)
      return socket.send(JSON.stringify({ type: "auth", result: "success", authenticated: true }))
    }
    this.commands.push(command)
    if (type === "subscribe") {
      for (const channel of params.channels) socket.send(JSON.stringify({ subscribed: channel }))
      return this.#pulse(user)
    }
    if (type === "add_order") return this.add(user, params)
    if (type === "get_user_orders") {
      const orders = this.ordersOf(user).map((order) => responseOf(user, order, "ACK"))
      return socket.send(JSON.stringify({ all_orders_response: { orders, twaps: [] } }))
    }
    if (type === "cancel_all_orders") {
      socket.send(JSON.stringify({ ack: { incoming_message: command }, ack_response: true }))
      for (const order of this.ordersOf(user)) this.#cancel(order)
      return
    }
    if (type === "close_position") return this.#close(user, params)
    const wanted = params.order_id
    const order = this.ordersOf(user).find((each) => each.order_id === wanted || each.client_order_id === wanted)
    if (type === "cancel_order" && order !== undefined) return this.#cancel(order)
    if (order === undefined) {
      const status = type === "cancel_order" ? "NO_SUCH_ORDER" : "CANNOT_MODIFY_NO_SUCH_ORDER"
      return this.#respond(
        user,
        { order_id: wanted, symbol: params.symbol, quantity: 0, price: 0, quantity_remaining: 0 },
        status
      )
    }
    if (order.quantity_remaining < order.quantity) return this.#respond(user, order, "CANNOT_MODIFY_PARTIAL_FILL")
    order.price = params.price
    this.#respond(user, order, "MODIFIED")
  }

  /** Adds a stop for the filled quantity, which stays open until the position is closed. */
  #bring(order: StandInOrder, type: string, price: number): void {
    const quantity = order.quantity - order.quantity_remaining
    const side = order.side === "BUY" ? "SELL" : "BUY"
    const waiting = { order_id: `id-${++this.#ids}`, quantity, quantity_remaining: quantity }
    const stop: StandInOrder = { ...order, ...waiting, price, side, type, time_in_force: "GTC" }
    this.stops.add(stop)
    this.#respond(order.user, stop, "ACK")
  }

  #cancel(order: StandInOrder): void {
    this.open.delete(order.order_id)
    this.#respond(order.user, order, "CANCELLED")
  }

  #close(user: string, { client_order_id, symbol }: NewOrder): void {
    const { position } = this.#account(user)
    const terms = {
      symbol,
      client_order_id,
      order_type: "LIMIT",
      order_time_in_force: "IOC",
      quantity: Math.abs(position)
    }
    this.add(user, position > 0 ? { ...terms, side: "SELL", price: 0.01 } : { ...terms, side: "BUY", price: 1e6 })
  }

  #counterparty(taker: StandInOrder): StandInOrder | undefined {
    if (taker.quantity_remaining === 0) return undefined
    const sign = taker.side === "BUY" ? 1 : -1
    return [...this.open.values()]
      .filter(
        (each) => each.symbol === taker.symbol && each.side !== taker.side && sign * (taker.price - each.price) >= 0
      )
      .sort((a, b) => sign * (a.price - b.price))[0]
  }

  #trade(maker: StandInOrder, taker: StandInOrder): void {
    const quantity = Math.min(maker.quantity_remaining, taker.quantity_remaining)
    const notional = Math.round(quantity * maker.price * 1e6) / 1e6
    for (const order of [maker, taker]) {
      order.quantity_remaining = Math.round((order.quantity_remaining - quantity) * 1e8) / 1e8
      if (order.quantity_remaining === 0) this.open.delete(order.order_id)
      const account = this.#account(order.user)
      const fee = Math.round(notional * (order === maker ? 0.0002 : 0.001) * 1e6) / 1e6
      const signed = order.side === "BUY" ? quantity : -quantity
      // Exact only for positions that are opened in one fill and closed in one fill.
      const realised = account.position !== 0 ? -Math.sign(signed) * notional - account.basis : 0
      account.basis = account.position !== 0 ? 0 : Math.sign(signed) * notional
      account.position += signed
      account.fees += fee
      account.realised += realised
      const fill = {
        ...order,
        price: maker.price,
        quantity,
        remaining_quantity: order.quantity_remaining,
        fee,
        realised_pnl: realised
      }
      const frame = {
        ...attached,
        ...fill,
        trade_id: `trade-${this.#ids}`,
        aggressor_side: taker.side,
        user_id: order.user,
        order_type: order.type,
        tif: order.time_in_force,
        order_price: order.price,
        execution_type: "NEW",
        timestamp: 0
      }
      this.#send(order.user, { fill_response: frame })
      this.#respond(order.user, order, "FILLED")
      for (const stop of this.stops) {
        if (stop.user !== order.user || account.position !== 0) continue
        this.stops.delete(stop)
        this.#respond(stop.user, stop, "CANCELLED")
      }
      this.#pulse(order.user)
    }
  }

  #account(user: string) {
    const account = this.#accounts.get(user) ?? { fees: 0, realised: 0, position: 0, basis: 0 }
    this.#accounts.set(user, account)
    return account
  }

  #pulse(user: string): void {
    const { basis, fees, position, realised } = this.#account(user)
    const available = Math.round((100_000 + realised - fees) * 1e6) / 1e6
    const none = { net_funding: 0, unrealised_pnl: 0, referral_rewards: 0, order_margin: 0, position_margin: 0 }
    this.#send(user, {
      balance_response: {
        ...none,
        id: user,
        user_id: user,
        deposit: 100_000,
        realised_pnl: realised,
        fees,
        available_balance: available
      }
    })
    const average_price = position === 0 ? 0 : basis / position
    const held = { symbol: "AAPL-USD", position, average_price, realised_pnl: realised, margin_alloc: 0, leverage: 10 }
    const margins = { initial_margin: 0.1, maintenance_margin: 0.2 / 3, open_orders: 0, open_quantity: 0 }
    this.#send(user, { position_response: { id: user, ...held, ...margins, ...none } })
  }

  #watch(socket: WebSocket): void {
    let sequence = this.#watchers.get(socket)
    if (sequence === undefined) {
      sequence = 0
      socket.send(JSON.stringify({ type: "subscribed", channels: ["mark_price"], symbols: ["*"] }))
    }
    for (const [symbol, price] of this.marks) {
      const time = "2026-11-20T15:00:00.000Z"
      socket.send(JSON.stringify({ type: "mark_price", sequence: ++sequence, time, symbol, price: String(price) }))
    }
    this.#watchers.set(socket, sequence)
  }

  #respond(user: string, order: object, status: string): void {
    this.#send(user, { order_response: responseOf(user, order, status) })
  }

  #send(user: string, frame: unknown): void {
    for (const [socket, owner] of this.#users) if (owner === user) socket.send(JSON.stringify(frame))
  }
}

const attached = { take_profit: 0, stop_loss: 0 }

const responseOf = (user: string, order: object, status: string) => ({
  ...attached,
  client_order_id: "",
  user_id: user,
  update_time: 0,
  ...order,
  status,
  trade_id: null
})

const refdata = {
  type: "refdata",
  data: bases.map(([symbol, tick_size, lot_size]) => ({
    symbol,
    tick_size,
    lot_size,
    status: "ACTIVE",
    min_quantity: "0.1",
    max_quantity: "100000",
    default_max_leverage: 10
  }))
}
