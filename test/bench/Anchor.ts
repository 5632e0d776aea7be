/**
 * Anchor server: the reference that the venue's throughput is compared with. One plain Node process keeps one book,
 * writes one journal row per batch, and acknowledges an order only after its row is committed. Run `node
 * test/bench/Anchor.ts <database url> <port>`. It sends its listening port to its parent process, or prints the port,
 * and responds to a "totals" message with its book's totals.
 */
import type { Socket } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"
import { BookAnchor } from "./BookAnchor.ts"
import { connect } from "./Database.ts"
import { mapped } from "./LoadFrames.ts"

const maxOrders = 4_000_000
const { lotsPerUnit, symbol: traded, ticksPerUnit } = mapped(1)
/** Price in ticks at which the server reserves balance for a market order. */
const marketHold = 70_000
const anyUser = "3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"
const [databaseUrl = "", port = "0"] = process.argv.slice(2)
const book = new BookAnchor(maxOrders)
const available = new Map<WebSocket, number>()
let events: Array<string> = []
let answers: Array<{ readonly to: WebSocket; readonly frame: string }> = []
let flushing = false
let scheduled = false
let sequence = 0
let clock = 0

const database = await connect(databaseUrl)
await database.query("drop table if exists anchor_journal")
await database.query(
  "create table anchor_journal (market int, seq bigint, events int not null, body bytea not null, primary key (market, seq))"
)

book.onFill = (maker, taker, quantity, price) => {
  events.push(`{"e":"fill","maker":${maker},"taker":${taker},"quantity":${quantity},"price":${price},"at":${clock}}`)
}

const server = new WebSocketServer({ port: Number(port), host: "127.0.0.1", perMessageDeflate: false })
server.on("connection", (socket) => {
  available.set(socket, 1e15)
  socket.on("message", (data) => take(socket, data.toString()))
  socket.on("close", () => available.delete(socket))
})
server.on("listening", () => {
  const address = server.address() as { port: number }
  if (process.send === undefined) process.stdout.write(`${JSON.stringify({ port: address.port })}\n`)
  else process.send({ port: address.port })
})
process.on("message", () => {
  const {
    best: [bid, ask],
    notional,
    resting,
    trades,
    volume
  } = book
  // In ticks and sent lots, because the load client multiplies the benchmark flow's lots before it sends them.
  process.send?.({ totals: { trades, volume, notional, resting, bid, ask } })
})
process.on("disconnect", () => process.exit(0))

function take(socket: WebSocket, text: string): void {
  const message = JSON.parse(text)
  const params = message.params
  clock = Date.now()
  switch (message.type) {
    case "add_order":
      return add(socket, params)
    case "cancel_order":
      return cancel(socket, params)
    case "cancel_all_orders":
      return cancelAll(socket)
    case "subscribe":
      for (const channel of params.channels) socket.send(`{"subscribed":"${channel}"}`)
      return
    default:
      socket.send(`{"type":"auth","result":"success","authenticated":true}`)
  }
}

/** Checks the order's shape, reserves the connection's balance, and then matches the order. */
function add(socket: WebSocket, params: Record<string, unknown>): void {
  const { symbol, side, order_type: type, order_time_in_force: tif, client_order_id: clientId } = params
  const quantity = Math.round(Number(params["quantity"]) * lotsPerUnit)
  const price = Math.round(Number(params["price"]) * ticksPerUnit)
  const isMarket = type === "MARKET"
  const id = typeof clientId === "string" ? idOf(clientId) : 0
  const balance = available.get(socket) ?? 0
  const held = (isMarket ? marketHold : price) * quantity
  const accepted =
    symbol === traded &&
    (side === "BUY" || side === "SELL") &&
    quantity > 0 &&
    (isMarket ? tif === "IOC" : type === "LIMIT" && tif === "GTC" && price > 0 && price < book.ticks) &&
    id > 0 &&
    id < maxOrders &&
    balance >= held
  if (!accepted) return answer(socket, response(params, "", "REJECTED"))
  available.set(socket, balance - held)
  events.push(
    `{"e":"add","id":${id},"side":"${side}","price":${price},"quantity":${quantity},"tif":"${tif}","client":"${clientId}","at":${clock}}`
  )
  if (isMarket) book.market(id, side === "BUY" ? 0 : 1, quantity)
  else book.add(id, side === "BUY" ? 0 : 1, price, quantity)
  answer(socket, response(params, orderId(id), "ACK"))
}

function cancel(socket: WebSocket, params: Record<string, unknown>): void {
  const clientId = String(params["order_id"])
  const id = idOf(clientId)
  const found = id > 0 && id < maxOrders && book.cancel(id)
  events.push(`{"e":"cancel","id":${id},"found":${found},"at":${clock}}`)
  const echo = { ...params, client_order_id: clientId }
  answer(socket, response(echo, found ? orderId(id) : "", found ? "CANCELLED" : "NO_SUCH_ORDER"))
}

/** Cancels every user's orders, because the book does not record owners. */
function cancelAll(socket: WebSocket): void {
  for (let id = 1; id < maxOrders && book.resting > 0; id++) book.cancel(id)
  events.push(`{"e":"cancelAll","at":${clock}}`)
  answer(socket, `{"ack":{"incoming_message":{"type":"cancel_all_orders","params":{}}},"ack_response":true}`)
}

function answer(to: WebSocket, frame: string): void {
  answers.push({ to, frame })
  if (scheduled || flushing) return
  scheduled = true
  setImmediate(flush)
}

/** Writes one row for all commands that arrived during the previous write, then one buffer per socket. */
async function flush(): Promise<void> {
  scheduled = false
  flushing = true
  while (answers.length > 0) {
    const batch = answers
    const body = events
    answers = []
    events = []
    sequence += body.length
    await database.query({
      name: "append",
      text: "insert into anchor_journal values ($1, $2, $3, $4)",
      values: [1, sequence, body.length, Buffer.from(body.join("\n"))]
    })
    send(batch)
  }
  flushing = false
}

function send(batch: typeof answers): void {
  const sockets = new Set<Socket>()
  for (const { to, frame } of batch) {
    const socket = (to as unknown as { readonly _socket: Socket | null })._socket
    if (socket === null || to.readyState !== to.OPEN) continue
    if (!sockets.has(socket)) {
      sockets.add(socket)
      socket.cork()
    }
    to.send(frame)
  }
  for (const socket of sockets) socket.uncork()
}

function response(params: Record<string, unknown>, id: string, status: string): string {
  return JSON.stringify({
    order_response: {
      order_id: id,
      symbol: params["symbol"],
      status,
      quantity: params["quantity"] ?? 0,
      price: params["price"] ?? 0,
      take_profit: 0,
      stop_loss: 0,
      side: params["side"],
      type: params["order_type"],
      time_in_force: params["order_time_in_force"],
      user_id: anyUser,
      client_order_id: params["client_order_id"],
      quantity_remaining: params["quantity"] ?? 0,
      update_time: clock / 1000,
      trade_id: null,
      reduce_only: false
    }
  })
}

/** Returns the order's id in the benchmark flow: the digits after the run's tag. */
function idOf(clientOrderId: string): number {
  let at = clientOrderId.length
  while (at > 0 && clientOrderId.charCodeAt(at - 1) >= 48 && clientOrderId.charCodeAt(at - 1) <= 57) at--
  return Number(clientOrderId.slice(at))
}

function orderId(id: number): string {
  return `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`
}
