/**
 * One account's load over several gateways: random new orders, modifies and cancels. The trader reconnects when a
 * gateway is lost.
 */
import type { History } from "./History.ts"
import { now } from "./History.ts"
import type { OrderRow } from "./HistoryLine.ts"
import type { Marks } from "./Marks.ts"
import type { Random } from "./Random.ts"
import type { Key } from "./Signing.ts"
import * as TradeConnection from "./TradeConnection.ts"

export interface Market {
  readonly symbol: string
  readonly tick: number
  readonly lot: number
  /** Base quantity. An order has one to four times this quantity. */
  readonly quantity: number
}

export interface Habits {
  /** True if one of the trader's connections is armed for cancel on disconnect. */
  readonly isArmed: boolean
  readonly hasStops: boolean
  readonly hasTwaps: boolean
}

export interface Trader {
  readonly account: string
  /** Stops sending until `resume`. */
  readonly pause: () => void
  readonly resume: () => void
  readonly isIdle: () => boolean
  readonly stop: () => Promise<void>
}

interface Setting {
  readonly history: History
  readonly places: ReadonlyArray<TradeConnection.Place>
  readonly markets: ReadonlyArray<Market>
  readonly marks: Marks
  readonly random: Random
  /** Prefix that makes this run's client order ids unique. */
  readonly tag: string
  readonly everyMillis: number
}

const connectionsPerTrader = 2
const maxOpenOrders = 25
const inFlight = 4
const laterMillis = 2_500
/** A client reconnects after this time without a frame. */
const patienceMillis = 12_000

export const begin = (
  { user_id: account, ...key }: Key & { readonly user_id: string },
  habits: Habits,
  setting: Setting
): Trader => {
  const { history, marks, markets, places, random, tag } = setting
  let isWorking = true
  const over = new AbortController()
  let count = 0
  /** Resting orders, by order id. */
  const open = new Map<string, OrderRow>()
  const talks: Array<Conversation | undefined> = Array.from({ length: connectionsPerTrader })
  let twapUntil = 0

  const add = (talk: Conversation): void => {
    const market = random.pick(markets)
    const mark = marks.of(market.symbol)
    if (mark === undefined) return
    const side = random.pick(["BUY", "SELL"] as const)
    const [order_type, order_time_in_force, away] = kindOf(random)
    const limit = mark * (side === "BUY" ? 1 - away : 1 + away)
    const price = order_type === "MARKET" ? 0 : steps(limit, market.tick)
    const isBracketed = habits.hasStops && order_type !== "ALO" && random.chance(0.4)
    const bracket = steps(mark * 0.002, market.tick)
    const [above, below] = [
      steps((price || mark) + bracket, market.tick),
      steps((price || mark) - bracket, market.tick)
    ]
    const client_order_id = `${tag}-${account.slice(0, 8)}-${++count}`
    talk.send("add_order", client_order_id, {
      symbol: market.symbol,
      side,
      order_type,
      order_time_in_force,
      quantity: steps(market.quantity * (1 + random.whole(4)), market.lot),
      price,
      reduce_only: false,
      client_order_id,
      ...(isBracketed ? { take_profit: side === "BUY" ? above : below, stop_loss: side === "BUY" ? below : above } : {})
    })
  }

  const addTwap = (talk: Conversation): void => {
    const market = random.pick(markets)
    twapUntil = now() + 120_000
    const client_twap_id = `${tag}-${account.slice(0, 8)}-${++count}`
    talk.send("add_twap", client_twap_id, {
      symbol: market.symbol,
      side: random.pick(["BUY", "SELL"]),
      total_quantity: steps(market.quantity * 6, market.lot),
      num_orders: 2 + random.whole(2),
      order_interval_secs: 30,
      reduce_only: false,
      client_twap_id
    })
  }

  const change = (talk: Conversation, row: OrderRow): void => {
    const { order_id, side, symbol } = row
    const market = markets.find((one) => one.symbol === symbol)!
    const away = random.whole(40) * market.tick
    talk.send("modify_order", order_id, {
      symbol,
      order_id,
      side,
      order_type: row.type ?? "LIMIT",
      reduce_only: row.reduce_only ?? false,
      price: steps(row.price + (side === "BUY" ? -away : away), market.tick),
      quantity: steps(market.quantity * (1 + random.whole(4)), market.lot)
    })
  }

  const cancel = (talk: Conversation, { client_order_id, order_id, symbol }: OrderRow): void => {
    const isByClient = random.chance(0.1)
    const id = isByClient ? client_order_id : order_id
    const cancel_order_id_type = isByClient ? "client_order_id" : "order_id"
    talk.send("cancel_order", id, { symbol, order_id: id, cancel_order_id_type })
  }

  const work = (talk: Conversation): void => {
    if (!isWorking || talk.waiting.size >= inFlight || !talk.connection.isOpen()) return
    const chance = random.next()
    const free = [...open.values()].filter(({ order_id }) => !talk.waiting.has(order_id))
    const row = free.length === 0 ? undefined : random.pick(free)
    if (row !== undefined && (free.length >= maxOpenOrders || chance < 0.16)) return cancel(talk, row)
    if (row !== undefined && chance < 0.26) return change(talk, row)
    if (chance > 0.26 && chance < 0.27)
      return talk.send("cancel_all_orders", "", { symbol: random.pick(markets).symbol })
    if (chance > 0.27 && chance < 0.29) return talk.send("close_position", "", { symbol: random.pick(markets).symbol })
    if (chance > 0.29 && chance < 0.31) return talk.read()
    if (chance > 0.31 && chance < 0.34 && habits.hasTwaps && now() > twapUntil) return addTwap(talk)
    add(talk)
  }

  /** Queries an order through one gateway after another gateway has acknowledged it. */
  const look = (row: OrderRow, told: Conversation): void => {
    const other = talks.find((one) => one !== undefined && one.connection.gateway !== told.connection.gateway)
    if (other === undefined || !other.connection.isOpen() || other.looking.size > 0) return
    other.looking.set(row.order_id, { told: told.connection.gateway, askedAt: now() })
    other.connection.send("get_order", { symbol: row.symbol, order_id: row.order_id })
  }

  const hear = (talk: Conversation, frame: TradeConnection.AnyFrame): void => {
    const { all_orders_response: listed, order_response: row } = frame
    talk.heardAt = now()
    if (listed !== undefined && row === undefined) {
      open.clear()
      const { orders } = listed as { readonly orders: ReadonlyArray<OrderRow> }
      for (const one of orders) if (isResting(one)) open.set(one.order_id, one)
    }
    if (row !== undefined && talk.looked(frame, row)) return
    if (row !== undefined && listed === undefined) {
      if (isResting(row)) open.set(row.order_id, row)
      else if (row.order_id !== "" && hasEnded(row)) open.delete(row.order_id)
      const isNew = row.status === "ACK" && row.type === "LIMIT" && talk.waiting.has(row.client_order_id)
      // Queries immediately, or after the other gateway has certainly received the order.
      if (isNew && isResting(row) && random.chance(0.2)) {
        if (random.chance(0.5)) look(row, talk)
        else setTimeout(() => look(row, talk), laterMillis)
      }
    }
    talk.answered(frame)
  }

  const keep = async (index: number): Promise<void> => {
    for (let attempt = 0; !over.signal.aborted;) {
      // Each connection prefers a different gateway and falls back to any live one.
      const place = places[(index + attempt) % places.length]!
      const name = `${tag}-${account.slice(0, 8)}-${index}-${++count}`
      const talk = makeConversation(history)
      try {
        talk.connection = await TradeConnection.open(history, { name, key, account }, place, (frame) =>
          hear(talk, frame)
        )
      } catch {
        attempt++
        await pause(Math.min(2_000, 100 * 2 ** Math.min(attempt, 5)) * random.between(0.5, 1))
        continue
      }
      attempt = 0
      talks[index] = talk
      if (habits.isArmed && index === 0) talk.send("cancel_on_disconnect", "", { cancel_on_disconnect: true })
      talk.read()
      const timer = setInterval(() => {
        if (talk.waiting.size > 0 && now() - talk.heardAt > patienceMillis) talk.connection.drop()
        else work(talk)
      }, setting.everyMillis)
      await talk.connection.closed
      clearInterval(timer)
      talks[index] = undefined
      await pause(random.between(50, 400))
    }
  }
  const running = talks.map((_, index) => keep(index))
  return {
    account,
    pause: () => (isWorking = false),
    resume: () => (isWorking = true),
    isIdle: () => talks.every((talk) => talk === undefined || talk.waiting.size === 0),
    stop: async () => {
      over.abort()
      for (const talk of talks) talk?.connection.drop()
      await Promise.all(running)
    }
  }
}

interface Conversation {
  connection: TradeConnection.TradeConnection
  heardAt: number
  /** Commands without a response, by response key. */
  readonly waiting: Map<string, string>
  readonly looking: Map<string, { readonly told: string; readonly askedAt: number }>
  readonly send: (type: string, id: string, params: Readonly<Record<string, unknown>>) => void
  readonly read: () => void
  readonly looked: (frame: TradeConnection.AnyFrame, row: OrderRow) => boolean
  readonly answered: (frame: TradeConnection.AnyFrame) => void
}

const makeConversation = (history: History): Conversation => {
  const talk: Conversation = {
    // Placeholder, replaced before any message is sent.
    connection: undefined as unknown as TradeConnection.TradeConnection,
    heardAt: now(),
    waiting: new Map(),
    looking: new Map(),
    send: (type, id, params) => {
      if (talk.waiting.size === 0) talk.heardAt = now()
      talk.waiting.set(id === "" ? type : id, type)
      talk.connection.send(type, params)
    },
    read: () => talk.send("get_user_orders", "", { limit: 1_000, offset: 0 }),
    looked: (frame, { order_id, status }) => {
      const asked = talk.looking.get(order_id)
      if (asked === undefined || (frame.all_orders_response === undefined && status !== "NO_SUCH_ORDER")) return false
      if (talk.waiting.get(order_id) === "cancel_order") return false
      talk.looking.delete(order_id)
      const outcome = frame.all_orders_response === undefined ? "missing" : "open"
      const { gateway: through } = talk.connection
      history.write({ kind: "visible", at: now(), orderId: order_id, ...asked, through, outcome })
      return true
    },
    answered: ({ ack, all_orders_response, err, order_response: row, twap_response }) => {
      const incoming = err?.incoming_message ?? ack?.incoming_message
      if (incoming !== undefined && typeof incoming !== "string") {
        const { params, type } = incoming
        if (type === "get_order") return void talk.looking.delete(String(params["order_id"]))
        const id = params["client_order_id"] ?? params["order_id"] ?? params["client_twap_id"] ?? type
        talk.waiting.delete(String(id))
        talk.waiting.delete(type)
      }
      if (all_orders_response !== undefined) talk.waiting.delete("get_user_orders")
      if (twap_response !== undefined) talk.waiting.delete(twap_response.client_twap_id ?? "")
      if (row === undefined) return
      if (talk.waiting.get(row.client_order_id) === "add_order") talk.waiting.delete(row.client_order_id)
      else if (!["ACK", "FILLED"].includes(row.status)) {
        talk.waiting.delete(row.order_id)
        talk.waiting.delete(row.client_order_id)
      }
      // A close has no client order id, so any order without one, or the refusal, is its response.
      if (row.client_order_id === "") talk.waiting.delete("close_position")
    }
  }
  return talk
}

const isResting = ({ quantity_remaining, status, type }: OrderRow): boolean =>
  (status === "ACK" || status === "MODIFIED") && (type === "LIMIT" || type === "ALO") && quantity_remaining > 0

const hasEnded = ({ quantity_remaining, status }: OrderRow): boolean =>
  status.startsWith("CANCELLED") ||
  status.startsWith("IOC_") ||
  quantity_remaining === 0 ||
  status.endsWith("NO_SUCH_ORDER")

/**
 * Returns order type, time in force, and distance from the mark price. An order with a negative distance crosses the
 * mark price.
 */
const kindOf = (random: Random): readonly [string, string, number] => {
  const kind = random.next()
  if (kind < 0.55) return ["LIMIT", "GTC", random.between(0.0003, 0.003)]
  if (kind < 0.78) return ["LIMIT", "GTC", -0.001]
  if (kind < 0.86) return ["MARKET", "IOC", 0]
  if (kind < 0.92) return ["ALO", "GTC", random.between(0.0005, 0.003)]
  if (kind < 0.97) return ["LIMIT", "IOC", -0.001]
  return ["LIMIT", "FOK", -0.001]
}

/** Returns the nearest multiple of the increment, without floating-point noise. */
const steps = (value: number, step: number): number => Number((Math.round(value / step) * step).toFixed(8))

const pause = (millis: number): Promise<void> => new Promise((over) => setTimeout(over, millis))
