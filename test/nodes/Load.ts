/**
 * The traders' load: resting and matching orders, cancels and modifies, with a few commands in flight on each
 * connection.
 */
import * as TraderRecord from "./TraderRecord.ts"
import * as TradeSocket from "./TradeSocket.ts"

export interface Load {
  readonly answered: () => number
  readonly errors: () => ReadonlyArray<string>
  readonly stop: () => void
  readonly isIdle: () => boolean
  readonly sockets: ReadonlyArray<TradeSocket.TradeSocket>
}

/** First simulated prices. Quantities and price increments are multiples of lot and tick. */
const markets = [
  { symbol: "AAPL-USD", price: 200, tick: 0.01, quantity: 0.1 },
  { symbol: "GOLD-USD", price: 3_400, tick: 0.1, quantity: 0.01 },
  { symbol: "EUR-USD", price: 1.085, tick: 0.00001, quantity: 20 }
]

export const prices = markets.map(({ price, symbol }) => [symbol, price] as const)

const connectionsPerUser = 2
const maxOpenOrders = 40
/** Wait before the next command after an error. */
const pauseMillis = 50

/**
 * Starts the load. `tag` identifies the run in client order ids, each of which is used only once. A connection sends
 * at most one command every `everyMillis`. If this is 0, it sends each command after the response to the previous
 * one.
 */
export const begin = async (
  url: string,
  traders: ReadonlyArray<TraderRecord.TraderRecord>,
  tag: string,
  inFlight: number,
  everyMillis = 0
): Promise<Load> => {
  const desks = await Promise.all(
    traders.flatMap((record) =>
      Array.from({ length: connectionsPerUser }, (_, index) => beginOne(url, record, tag, index, inFlight, everyMillis))
    )
  )
  for (const desk of desks) desk.begin()
  return {
    answered: () => desks.reduce((sum, desk) => sum + desk.answered(), 0),
    errors: () => desks.flatMap(({ errors }) => errors),
    stop: () => {
      for (const desk of desks) desk.stop()
    },
    isIdle: () => desks.every((desk) => desk.waiting() === 0),
    sockets: desks.map(({ socket }) => socket)
  }
}

async function beginOne(
  url: string,
  record: TraderRecord.TraderRecord,
  tag: string,
  index: number,
  inFlight: number,
  everyMillis: number
) {
  const prefix = `${tag}-${index}-`
  const { unanswered } = record
  /** Keys of the expected responses: client order ids for new orders, and order ids for cancels and modifies. */
  const waiting = new Set<string>()
  /** Open orders that this connection manages: its own, and its share of the orders that earlier runs left open. */
  const inheritable = [...record.orders.values()].filter(({ end }) => end === undefined)
  const mine = inheritable.filter((_, at) => at % connectionsPerUser === index)
  const open = new Set(mine.map(({ orderId }) => orderId))
  const inherited = new Set(mine.map(({ clientOrderId }) => clientOrderId))
  const errors: Array<string> = []
  let isWorking = false
  let sent = 0
  let answered = 0

  const answer = (order: TradeSocket.OrderRow) => {
    const { client_order_id: clientOrderId, order_id: orderId } = order
    if (TraderRecord.isEnd(order)) open.delete(orderId)
    if (waiting.delete(clientOrderId)) {
      answered++
      unanswered.adds.delete(clientOrderId)
      if (order.status === "ACK" && record.sent.get(clientOrderId)?.order_type === "LIMIT") open.add(orderId)
    }
    const isSettled = !["ACK", "FILLED"].includes(order.status) && !order.status.endsWith("_STP")
    if (isSettled && waiting.delete(orderId)) {
      answered++
      unanswered.cancels.delete(orderId)
      unanswered.modifications.delete(orderId)
    }
  }
  /** After an error, the outcome is unknown, so the command stays without a response. */
  const failed = (err: NonNullable<TradeSocket.Frame["err"]>) => {
    errors.push(`${err.error_code}: ${err.message}`)
    const params = err.incoming_message?.params ?? {}
    waiting.delete(String(params["client_order_id"] ?? params["order_id"]))
    setTimeout(work, pauseMillis)
  }

  const add = () => {
    const { price, quantity, symbol, tick } = pick(markets)
    const side = pick(["BUY", "SELL"] as const)
    const kind = Math.random()
    // Two of three orders rest 0.05 to 0.35 % away from the price, and the others match.
    const away = kind < 0.65 ? 0.0005 + Math.random() * 0.003 : -0.001
    const limit = price * (side === "BUY" ? 1 - away : 1 + away)
    const isMarket = kind > 0.85
    const params: TraderRecord.Sent = {
      client_order_id: `${prefix}${++sent}`,
      symbol,
      side,
      order_type: isMarket ? "MARKET" : "LIMIT",
      quantity: steps(quantity * (1 + Math.floor(Math.random() * 4)), 0.001),
      price: isMarket ? 0 : steps(limit, tick)
    }
    record.sent.set(params.client_order_id, params)
    unanswered.adds.set(params.client_order_id, params)
    waiting.add(params.client_order_id)
    socket.send("add_order", { ...params, order_time_in_force: isMarket ? "IOC" : "GTC", reduce_only: false })
  }
  const cancel = (order: TraderRecord.OrderRecord) => {
    unanswered.cancels.add(order.orderId)
    waiting.add(order.orderId)
    socket.send("cancel_order", {
      symbol: order.symbol,
      order_id: order.orderId,
      cancel_order_id_type: "order_id"
    })
  }
  const modify = (order: TraderRecord.OrderRecord) => {
    const { quantity, tick } = markets.find(({ symbol }) => symbol === order.symbol)!
    const wanted = {
      quantity: steps(quantity * (1 + Math.floor(Math.random() * 4)), 0.001),
      price: steps(order.price + tick * (order.side === "BUY" ? -1 : 1), tick)
    }
    unanswered.modifications.set(order.orderId, wanted)
    waiting.add(order.orderId)
    const { orderId: order_id, side, symbol } = order
    socket.send("modify_order", { symbol, order_id, side, order_type: "LIMIT", reduce_only: false, ...wanted })
  }
  let nextAtMillis = 0
  const maySend = () => {
    const now = performance.now()
    if (!isWorking || !socket.isOpen() || waiting.size >= inFlight || now < nextAtMillis) return false
    nextAtMillis = now + everyMillis
    return true
  }
  const work = () => {
    while (maySend()) {
      const free = [...open].filter((orderId) => !waiting.has(orderId))
      const order = free.length === 0 ? undefined : record.orders.get(pick(free))
      const chance = Math.random()
      if (order !== undefined && (free.length >= maxOpenOrders || chance < 0.15)) cancel(order)
      else if (order !== undefined && chance < 0.3) modify(order)
      else add()
    }
  }
  const receive = TraderRecord.listener(record, (id) => id.startsWith(prefix) || inherited.has(id))
  const socket = await TradeSocket.open(url, record.user, (frame) => {
    receive(frame)
    const { err, order_response: order } = frame
    if (order !== undefined) answer(order)
    if (err !== undefined) return failed(err)
    work()
  })
  await TradeSocket.subscribe(socket, ["order_responses", "fills"])
  return {
    socket,
    begin: () => {
      isWorking = true
      work()
      if (everyMillis === 0) return
      const timer = setInterval(work, everyMillis)
      void socket.closed.then(() => clearInterval(timer))
    },
    errors,
    answered: () => answered,
    waiting: () => waiting.size,
    stop: () => {
      isWorking = false
    }
  }
}

const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(Math.random() * list.length)]!

/** Rounds to the nearest multiple of the step, without floating-point noise. */
const steps = (value: number, step: number): number => Number((Math.round(value / step) * step).toFixed(8))
