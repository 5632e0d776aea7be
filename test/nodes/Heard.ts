/** What one user sent, and what the venue told that user about it: the promises that must outlive the venue's process. */
import type { User } from "./DevApp.ts"
import * as CheckerFilled from "../chaos/CheckerFilled.ts"
import type { Frame, OrderRow, TradeRow } from "./TradeSocket.ts"

export interface HeardOrder {
  readonly orderId: string
  readonly clientOrderId: string
  readonly symbol: string
  readonly side: "BUY" | "SELL"
  quantity: number
  price: number
  /** How it ended, and how much of it was filled then. */
  end: { readonly status: string; readonly filled: number } | undefined
}

/** An `add_order` as it was sent. */
export interface Sent {
  readonly client_order_id: string
  readonly symbol: string
  readonly side: "BUY" | "SELL"
  readonly order_type: "LIMIT" | "MARKET"
  readonly quantity: number
  readonly price: number
}

export interface Modification {
  readonly quantity: number
  readonly price: number
}

export interface Heard {
  readonly user: User
  /** Every order that was told to exist, by order id. */
  readonly orders: Map<string, HeardOrder>
  /** Every fill that was told, by trade id. */
  readonly fills: Map<string, TradeRow>
  /** Trade ids of `FILLED`, each with its order. */
  readonly filled: Map<string, string>
  /** Every order ever sent, by client order id. */
  readonly sent: Map<string, Sent>
  readonly refused: Set<string>
  /** Sent to the process that runs now and not answered. */
  readonly unanswered: {
    readonly adds: Map<string, Sent>
    readonly cancels: Set<string>
    readonly modifications: Map<string, Modification>
  }
  /** What may never be told. */
  readonly faults: Array<string>
}

export const make = (user: User): Heard => ({
  user,
  orders: new Map(),
  fills: new Map(),
  filled: new Map(),
  sent: new Map(),
  refused: new Set(),
  unanswered: { adds: new Map(), cancels: new Set(), modifications: new Map() },
  faults: []
})

/** One connection's ear: what is told twice, or told of an ended order, is a fault within one connection only. */
export const listener = (heard: Heard, isMine: (clientOrderId: string) => boolean) => {
  const fills = new Set<string>()
  const ended = new Map<string, string>()
  const judges = new Map<string, CheckerFilled.Judge>()
  return ({ fill_response: fill, order_response: order }: Frame): void => {
    if (fill !== undefined) {
      if (fills.has(fill.trade_id)) heard.faults.push(`fill ${fill.trade_id} was told twice on one connection`)
      fills.add(fill.trade_id)
      heard.fills.set(fill.trade_id, fill)
    }
    if (order === undefined) return
    const end = ended.get(order.order_id)
    if (end !== undefined && lives.has(order.status) && !isSameEnd(end, order)) {
      heard.faults.push(`order ${order.order_id} had ended, and then came ${order.status}`)
    }
    if (order.status === "FILLED") {
      const judge = judges.get(order.order_id) ?? CheckerFilled.judge()
      judges.set(order.order_id, judge)
      const fault = judge.filled(order)
      if (fault !== undefined) heard.faults.push(`order ${order.order_id} received ${fault} on one connection`)
    }
    hear(heard, order, isMine)
    if (heard.orders.get(order.order_id)?.end !== undefined && isEnd(order)) ended.set(order.order_id, order.status)
  }
}

const lives = new Set(["ACK", "FILLED", "MODIFIED"])
const ends = new Set(["CANCELLED", "CANCELLED_STP", "IOC_CANCELLED", "IOC_PARTIALLY_FILLED"])

export const isEnd = ({ quantity_remaining, status }: OrderRow): boolean =>
  ends.has(status) || (status === "FILLED" && quantity_remaining === 0)

/** Each fill of one command has a frame, and all of them have the state after the command. */
const isSameEnd = (end: string, row: Pick<OrderRow, "status" | "quantity_remaining">): boolean =>
  end === "FILLED" && row.status === "FILLED" && row.quantity_remaining === 0

function hear(heard: Heard, row: OrderRow, isMine: (clientOrderId: string) => boolean): void {
  const { client_order_id: clientOrderId, order_id: orderId, status } = row
  if (orderId === "") return void heard.refused.add(clientOrderId)
  if (status === "ACK" && !heard.orders.has(orderId)) heard.orders.set(orderId, orderOf(row))
  const order = heard.orders.get(orderId)
  if (order === undefined) {
    if (lives.has(status) || ends.has(status)) heard.faults.push(`order ${orderId} got ${status} before any ACK`)
    return
  }
  // Another connection of the same account may be told of an earlier change later.
  if (status === "MODIFIED" && isMine(clientOrderId)) {
    order.quantity = row.quantity
    order.price = row.price
  }
  if (status === "FILLED") heard.filled.set(row.trade_id ?? "", orderId)
  if (isEnd(row)) order.end = { status, filled: lots(row.quantity) - lots(row.quantity_remaining) }
}

export const orderOf = (row: OrderRow): HeardOrder => ({
  orderId: row.order_id,
  clientOrderId: row.client_order_id,
  symbol: row.symbol,
  side: row.side,
  quantity: row.quantity,
  price: row.price,
  end: undefined
})

/** Quantities compare as whole numbers of 1e-8. */
export const lots = (quantity: number): number => Math.round(quantity * 1e8)

/** Money compares as whole numbers of 1e-6. */
export const money = (usd: number): number => Math.round(usd * 1e6)
