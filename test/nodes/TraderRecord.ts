/** One user's commands and the venue's responses, which must remain true after the venue's process is killed. */
import type { User } from "./DevApp.ts"
import * as CheckerFilled from "../chaos/CheckerFilled.ts"
import type { Frame, OrderRow, TradeRow } from "./TradeSocket.ts"

export interface OrderRecord {
  readonly orderId: string
  readonly clientOrderId: string
  readonly symbol: string
  readonly side: "BUY" | "SELL"
  quantity: number
  price: number
  /** Final status, and filled quantity in lots of 1e-8. */
  end: { readonly status: string; readonly filled: number } | undefined
}

/** Parameters of an `add_order`. */
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

export interface TraderRecord {
  readonly user: User
  /** Acknowledged orders by order id. */
  readonly orders: Map<string, OrderRecord>
  /** Received fills by trade id. */
  readonly fills: Map<string, TradeRow>
  /** Order ids by the trade id in their `FILLED` frames. */
  readonly filled: Map<string, string>
  /** Sent orders by client order id. */
  readonly sent: Map<string, Sent>
  readonly refused: Set<string>
  /** Commands without a response, sent to the current process. */
  readonly unanswered: {
    readonly adds: Map<string, Sent>
    readonly cancels: Set<string>
    readonly modifications: Map<string, Modification>
  }
  /** Responses that violate the protocol. */
  readonly faults: Array<string>
}

export const make = (user: User): TraderRecord => ({
  user,
  orders: new Map(),
  fills: new Map(),
  filled: new Map(),
  sent: new Map(),
  refused: new Set(),
  unanswered: { adds: new Map(), cancels: new Set(), modifications: new Map() },
  faults: []
})

/**
 * Returns one connection's frame handler. A repeat, or a change to an ended order, is a fault only within one
 * connection.
 */
export const listener = (record: TraderRecord, isMine: (clientOrderId: string) => boolean) => {
  const fills = new Set<string>()
  const ended = new Map<string, string>()
  const judges = new Map<string, CheckerFilled.Judge>()
  return ({ fill_response: fill, order_response: order }: Frame): void => {
    if (fill !== undefined) {
      if (fills.has(fill.trade_id)) record.faults.push(`fill ${fill.trade_id} was sent twice on one connection`)
      fills.add(fill.trade_id)
      record.fills.set(fill.trade_id, fill)
    }
    if (order === undefined) return
    const end = ended.get(order.order_id)
    if (end !== undefined && lives.has(order.status) && !isSameEnd(end, order)) {
      record.faults.push(`order ${order.order_id} had ended when ${order.status} arrived`)
    }
    if (order.status === "FILLED") {
      const judge = judges.get(order.order_id) ?? CheckerFilled.judge()
      judges.set(order.order_id, judge)
      const fault = judge.filled(order)
      if (fault !== undefined) record.faults.push(`order ${order.order_id} received ${fault} on one connection`)
    }
    take(record, order, isMine)
    if (record.orders.get(order.order_id)?.end !== undefined && isEnd(order)) ended.set(order.order_id, order.status)
  }
}

const lives = new Set(["ACK", "FILLED", "MODIFIED"])
const ends = new Set(["CANCELLED", "CANCELLED_STP", "IOC_CANCELLED", "IOC_PARTIALLY_FILLED"])

export const isEnd = ({ quantity_remaining, status }: OrderRow): boolean =>
  ends.has(status) || (status === "FILLED" && quantity_remaining === 0)

/**
 * Returns whether the frame repeats the order's end. Each fill of a command has a frame with the state after the
 * whole command.
 */
const isSameEnd = (end: string, row: Pick<OrderRow, "status" | "quantity_remaining">): boolean =>
  end === "FILLED" && row.status === "FILLED" && row.quantity_remaining === 0

function take(record: TraderRecord, row: OrderRow, isMine: (clientOrderId: string) => boolean): void {
  const { client_order_id: clientOrderId, order_id: orderId, status } = row
  if (orderId === "") return void record.refused.add(clientOrderId)
  if (status === "ACK" && !record.orders.has(orderId)) record.orders.set(orderId, orderOf(row))
  const order = record.orders.get(orderId)
  if (order === undefined) {
    if (lives.has(status) || ends.has(status)) record.faults.push(`order ${orderId} got ${status} before any ACK`)
    return
  }
  // Another connection of the account might receive an earlier change later.
  if (status === "MODIFIED" && isMine(clientOrderId)) {
    order.quantity = row.quantity
    order.price = row.price
  }
  if (status === "FILLED") record.filled.set(row.trade_id ?? "", orderId)
  if (isEnd(row)) order.end = { status, filled: lots(row.quantity) - lots(row.quantity_remaining) }
}

export const orderOf = (row: OrderRow): OrderRecord => ({
  orderId: row.order_id,
  clientOrderId: row.client_order_id,
  symbol: row.symbol,
  side: row.side,
  quantity: row.quantity,
  price: row.price,
  end: undefined
})

/** Returns the quantity in whole lots of 1e-8, so that quantities compare exactly. */
export const lots = (quantity: number): number => Math.round(quantity * 1e8)

/** Returns the amount in whole millionths of a dollar, so that amounts compare exactly. */
export const money = (usd: number): number => Math.round(usd * 1e6)
