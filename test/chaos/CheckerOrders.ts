/** Order checks: each acknowledged order exists once, no refused order exists, and ended orders stay ended. */
import * as CheckerFilled from "./CheckerFilled.ts"
import {
  type Command,
  type Finding,
  isEnd,
  isRefusal,
  isStopType,
  lotsOf,
  type Story,
  ticksOf,
  type OrderReport
} from "./CheckerStory.ts"
import type { OrderRow } from "./HistoryLine.ts"

export const findings = (story: Story): ReadonlyArray<Finding> => [
  ...onOneConnection(story),
  ...(story.isWhole ? [...acknowledged(story), ...once(story), ...refused(story), ...modified(story)] : []),
  ...silent(story)
]

const openOf = ({ reads }: Story): ReadonlyMap<string, OrderRow> =>
  new Map(reads.flatMap(({ open }) => open.map((row) => [row.order_id, row] as const)))

/** Checks that an acknowledged order is open or has ended, and that its recorded end equals the reported end. */
function acknowledged(story: Story): ReadonlyArray<Finding> {
  const open = openOf(story)
  const traded = new Map(story.trades.map((trade) => [`${trade.tradeId} ${trade.orderId}`, trade]))
  const found: Array<Finding> = []
  for (const [orderId, told] of story.told) {
    const ended = story.ended.get(orderId)
    const isOpen = open.has(orderId)
    const wasAcknowledged = told.some(({ row }) => row.status === "ACK")
    if (wasAcknowledged && ended === undefined && !isOpen) {
      found.push({ rule: "I1", text: `order ${orderId} was acknowledged, and is neither open nor ended` })
    }
    if (ended !== undefined && isOpen) found.push({ rule: "I22", text: `order ${orderId} has ended and is open` })
    for (const { row } of told) {
      if (row.status === "FILLED" && !traded.has(`${row.trade_id} ${orderId}`)) {
        found.push({ rule: "I1", text: `FILLED ${row.trade_id} of order ${orderId} was told and is no trade` })
      }
      if (isEnd(row) && ended?.status !== row.status) {
        const is = ended?.status ?? (isOpen ? "open" : "nowhere")
        found.push({ rule: "I1", text: `order ${orderId} was told ${row.status} and is ${is}` })
      }
    }
  }
  for (const { row } of story.fills) {
    const trade = traded.get(`${row.trade_id} ${row.order_id}`)
    if (trade === undefined) {
      found.push({ rule: "I1", text: `fill ${row.trade_id} of order ${row.order_id} was told and is no trade` })
      continue
    }
    const matchesReport =
      trade.lots === lotsOf(story, row.symbol, row.quantity) &&
      trade.ticks === ticksOf(story, row.symbol, row.price) &&
      trade.side === row.side
    if (!matchesReport) found.push({ rule: "I1", text: `fill ${row.trade_id} of ${row.order_id} was told otherwise` })
  }
  return found
}

/**
 * Checks that each `add_order` frame creates at most one order, that every order has a frame, and that gateways agree
 * on which order a frame created.
 */
function once(story: Story): ReadonlyArray<Finding> {
  const orders = new Map<string, Set<string>>()
  const add = (clientOrderId: string, orderId: string, type: string | undefined) => {
    if (clientOrderId === "" || isStopType(type)) return
    orders.set(clientOrderId, (orders.get(clientOrderId) ?? new Set()).add(orderId))
  }
  const ours = new Set(story.accounts)
  const stops = new Set<string>()
  for (const trade of story.trades) if (trade.origin === "STOP") stops.add(trade.orderId)
  for (const [orderId, told] of story.told) {
    if (told.some(({ row }) => isStopType(row.type))) stops.add(orderId)
  }
  for (const trade of story.trades) {
    if (ours.has(trade.account) && !stops.has(trade.orderId)) add(trade.clientOrderId, trade.orderId, undefined)
  }
  for (const ended of story.ended.values()) {
    if (ours.has(ended.account) && !stops.has(ended.orderId)) add(ended.clientOrderId, ended.orderId, ended.type)
  }
  for (const { open } of story.reads) {
    for (const row of open) if (!stops.has(row.order_id)) add(row.client_order_id, row.order_id, row.type)
  }
  for (const [orderId, told] of story.told) {
    for (const { row } of told) {
      if (row.status === "ACK" && !stops.has(orderId)) add(row.client_order_id, orderId, row.type)
    }
  }
  const sent = new Set(
    story.commands.filter(({ type }) => type === "add_order").map(({ params }) => String(params["client_order_id"]))
  )
  return [...orders].flatMap(([clientOrderId, ids]) => {
    if (!sent.has(clientOrderId)) return [{ rule: "I20", text: `nobody sent ${clientOrderId}` }]
    if (ids.size < 2) return []
    return [{ rule: "I8 I20", text: `${clientOrderId} was sent once and became ${[...ids].join(" and ")}` }]
  })
}

/** Checks that refused commands had no effect, and that no existing order was reported as missing. */
function refused(story: Story): ReadonlyArray<Finding> {
  const open = openOf(story)
  const live = new Set([...open.values()].map((row) => row.client_order_id))
  for (const trade of story.trades) live.add(trade.clientOrderId)
  for (const ended of story.ended.values()) if (!isRefusal(ended.status)) live.add(ended.clientOrderId)
  const found: Array<Finding> = []
  for (const command of story.commands) {
    const { params, refused, type } = command
    if (refused === undefined) continue
    const id = String(params["client_order_id"])
    if (type === "add_order" && live.has(id)) {
      found.push({ rule: "I51", text: `${id} was told ${refused}, and its order came to be` })
    }
    const missed = refused === "NO_SUCH_ORDER" || refused === "CANNOT_MODIFY_NO_SUCH_ORDER"
    if (missed && wasThere(story, open, command)) {
      found.push({ rule: "I51", text: `${type} of ${String(params["order_id"])} was told ${refused}, and it was open` })
    }
  }
  return found
}

/** Returns whether the order was acknowledged before the command, and was still open well after the response. */
function wasThere(story: Story, open: ReadonlyMap<string, OrderRow>, { answeredAt, params, sentAt }: Command): boolean {
  const orderId = String(params["order_id"])
  const told = story.told.get(orderId)
  if (told === undefined || !told.some(({ at, row }) => row.status === "ACK" && at <= sentAt)) return false
  if (told.some(({ at, row }) => isEnd(row) && at <= answeredAt!)) return false
  const ended = story.ended.get(orderId)
  return ended === undefined ? open.has(orderId) : ended.at > answeredAt!
}

/** Checks that each order equals its last reported state, with or without an unanswered change applied. */
function modified(story: Story): ReadonlyArray<Finding> {
  const open = openOf(story)
  const changes = new Map<string, Array<Command>>()
  for (const command of story.commands) {
    if (command.type !== "modify_order") continue
    const orderId = String(command.params["order_id"])
    changes.set(orderId, [...(changes.get(orderId) ?? []), command])
  }
  const found: Array<Finding> = []
  for (const [orderId, told] of story.told) {
    const last = lastTerms(told)
    if (last === undefined || last.reduce_only === true || isStopType(last.type) || last.type === "MARKET") continue
    const { symbol } = last
    const terms = (price: number, quantity: number) =>
      `${lotsOf(story, symbol, quantity)} lots at ${ticksOf(story, symbol, price)} ticks`
    const possible = new Set([terms(last.price, last.quantity)])
    for (const { params, refused } of changes.get(orderId) ?? []) {
      if (refused === undefined) possible.add(terms(Number(params["price"]), Number(params["quantity"])))
    }
    const row = open.get(orderId)
    const ended = story.ended.get(orderId)
    const is =
      row === undefined
        ? ended === undefined
          ? undefined
          : `${ended.lots} lots at ${ended.ticks} ticks`
        : terms(row.price, row.quantity)
    if (is !== undefined && !possible.has(is)) {
      found.push({ rule: "I1", text: `order ${orderId} was told ${[...possible].join(" or ")} and is ${is}` })
    }
  }
  return found
}

const lastTerms = (told: ReadonlyArray<OrderReport>): OrderRow | undefined =>
  told.findLast(({ row }) => row.status === "ACK" || row.status === "MODIFIED")?.row

/**
 * Checks that each connection receives an order's frames in sequence: first the acknowledgement, then each fill once,
 * and no frame after the end. Each fill has a `FILLED` frame, which shows the state after the whole command.
 */
function onOneConnection(story: Story): ReadonlyArray<Finding> {
  const found: Array<Finding> = []
  for (const [orderId, told] of story.told) {
    const ended = new Map<string, string>()
    const judges = new Map<string, CheckerFilled.Judge>()
    for (const { connection, row } of told) {
      if (row.status === "FILLED") {
        const judge = judges.get(connection.name) ?? CheckerFilled.judge()
        judges.set(connection.name, judge)
        const fault = judge.filled(row)
        if (fault !== undefined) found.push({ rule: "I22", text: `order ${orderId}: ${fault} on ${connection.name}` })
      }
      const end = ended.get(connection.name)
      const lives = row.status === "ACK" || row.status === "FILLED" || row.status === "MODIFIED"
      const isSameEnd = end === "FILLED" && row.status === "FILLED" && isEnd(row)
      if (end !== undefined && lives && !isSameEnd) {
        found.push({ rule: "I22", text: `order ${orderId} was told ${end}, and then ${row.status}` })
      }
      if (isEnd(row)) ended.set(connection.name, row.status)
    }
  }
  const fills = new Set<string>()
  for (const { connection, row } of story.fills) {
    const one = `${connection.name} ${row.trade_id} ${row.order_id}`
    if (fills.has(one)) found.push({ rule: "I5", text: `fill ${row.trade_id} was told twice on ${connection.name}` })
    fills.add(one)
  }
  return found
}

/**
 * Checks that every command on a live connection has a response if its gateway had no fault. The response is allowed to report an unknown outcome.
 */
function silent(story: Story): ReadonlyArray<Finding> {
  const answered = new Set(["add_order", "cancel_order", "modify_order", "cancel_all_orders", "add_twap"])
  const limit = answerMillis * story.patience
  const lastAt = story.lines.at(-1)?.at ?? 0
  return story.commands.flatMap(({ answeredAt, connection, params, sentAt, type }) => {
    if (answeredAt !== undefined || !answered.has(type)) return []
    const until = sentAt + limit
    if (connection.closedAt < until || lastAt < until) return []
    const isTouched = story.faults.some(
      ({ beganAt, endedAt, targets }) => beganAt <= until && endedAt >= sentAt && targets.includes(connection.through)
    )
    if (isTouched) return []
    const name = String(params["client_order_id"] ?? params["order_id"] ?? "")
    return [{ rule: "I51", text: `${type} ${name} on ${connection.name} was answered nothing in ${limit} ms` }]
  })
}

/**
 * The gateway times a command out six seconds after receiving it. Before that, the command might wait behind others.
 */
const answerMillis = 15_000
