/** A market maker's state in one symbol: mark, position and own quotes, kept current from the venue's messages. */
import type { ErrorResponse } from "@venue/api/ErrorFrame"
import type { Command } from "@venue/api/trade/CommandSchema"
import type { FillResponse, OrderResponse } from "@venue/api/trade/FrameSchema"
import { requestOf } from "@venue/client/TradeClient"
import { decimal, type Listing } from "./Listing.ts"
import { type Action, plan, type QuoteTerms, wanted, type Working } from "./Quotes.ts"

/** Mutable; belongs to one market maker. */
export interface QuoteBook {
  readonly listing: Listing
  /** Mark price, or 0 before the first one. */
  markUsd: number
  markedAtMillis: number
  /** Signed lots. */
  positionLots: number
  /** Own quotes by client order id. */
  readonly orders: Map<string, Working>
  /** No command is sent before this time. The pause grows with consecutive refusals. */
  pausedUntilMillis: number
  pauseMillis: number
  refusedAtMillis: number
}

export const make = (listing: Listing): QuoteBook => ({
  listing,
  markUsd: 0,
  markedAtMillis: 0,
  positionLots: 0,
  orders: new Map(),
  pausedUntilMillis: 0,
  pauseMillis: 0,
  refusedAtMillis: Number.NEGATIVE_INFINITY
})

/** Returns the next actions. Without a fresh mark, all quotes are cancelled. */
export const next = (book: QuoteBook, terms: QuoteTerms, nowMillis: number): ReadonlyArray<Action> => {
  if (book.markedAtMillis === 0 || nowMillis < book.pausedUntilMillis) return []
  const isFresh = nowMillis - book.markedAtMillis <= staleMillis
  const wants = isFresh ? wanted(book.listing, book.markUsd, book.positionLots, terms) : []
  return plan(wants, book.orders.values(), terms, nowMillis)
}

/** Records an action as sent and returns its command. `clientOrderId` is used for a new quote only. */
export const begin = (book: QuoteBook, action: Action, clientOrderId: string, nowMillis: number): Command => {
  const {
    listing: { lotsPerUnit, symbol, ticksPerUnit },
    orders
  } = book
  if (action._tag === "Add") {
    const { quote } = action
    const state = { orderId: "", remainingLots: quote.lots, state: "Sending", sinceMillis: nowMillis } as const
    orders.set(clientOrderId, { ...quote, ...state, clientOrderId })
    const params = {
      symbol,
      side: quote.side,
      order_type: "ALO",
      order_time_in_force: "GTC",
      quantity: decimal(quote.lots, lotsPerUnit),
      price: decimal(quote.ticks, ticksPerUnit),
      reduce_only: false,
      client_order_id: clientOrderId
    } as const
    return { type: "add_order", params }
  }
  const { working } = action
  const moving = action._tag === "Move"
  orders.set(working.clientOrderId, { ...working, state: moving ? "Moving" : "Cancelling", sinceMillis: nowMillis })
  if (!moving) return { type: "cancel_order", params: { symbol, ...nameOf(working) } }
  const params = {
    symbol,
    order_id: working.orderId,
    side: working.side,
    order_type: "ALO",
    reduce_only: false,
    price: decimal(action.ticks, ticksPerUnit),
    quantity: decimal(working.lots, lotsPerUnit)
  } as const
  return { type: "modify_order", params }
}

export const ordered = (book: QuoteBook, response: OrderResponse, nowMillis: number): void => {
  const order = find(book, response.client_order_id, response.order_id)
  if (order === undefined) return
  const { lotsPerUnit, ticksPerUnit } = book.listing
  const remainingLots = Math.round(response.quantity_remaining * lotsPerUnit)
  const put = (changes: Partial<Working>) => book.orders.set(order.clientOrderId, { ...order, ...changes })
  const forget = () => book.orders.delete(order.clientOrderId)
  switch (response.status) {
    case "ACK":
      // A cancel sent before a late acknowledgement is still in flight.
      put({ orderId: response.order_id, ...(order.state === "Sending" ? { state: "Resting" } : {}) })
      return
    case "FILLED":
      if (remainingLots === 0) forget()
      else put({ remainingLots })
      return
    case "MODIFIED": {
      const ticks = Math.round(response.price * ticksPerUnit)
      const lots = Math.round(response.quantity * lotsPerUnit)
      put({ ticks, lots, remainingLots, state: order.state === "Cancelling" ? "Cancelling" : "Resting" })
      return
    }
    case "NO_SUCH_ORDER":
      forget()
      return
    case "CANCELLED":
    case "CANCELLED_STP":
      forget()
      // The cancel was not requested here. Either the order would have crossed, or the venue cancelled it.
      if (order.state !== "Cancelling") pause(book, nowMillis)
      return
    case "CANNOT_MODIFY_NO_SUCH_ORDER":
    case "CANNOT_MODIFY_PARTIAL_FILL":
      // Marks the order as overdue, because it must be cancelled whether or not it still exists.
      put({ sinceMillis: 0 })
      return
    default:
      refused(book, order, nowMillis)
  }
}

/** Returns whether the error responds to a command about one of these quotes. */
export const failed = (book: QuoteBook, error: ErrorResponse, nowMillis: number): boolean => {
  const { clientOrderId, orderId } = requestOf(error)
  const order = find(book, clientOrderId, orderId)
  if (order === undefined) return false
  // A server error leaves the outcome unknown, so the order becomes overdue and is cancelled.
  if (error.error_code === "ServerError") pause(book, nowMillis)
  else refused(book, order, nowMillis)
  return true
}

/** Adds a fill to the position, until the venue's next position update replaces it. */
export const filled = (book: QuoteBook, fill: FillResponse): void => {
  const lots = Math.round(fill.quantity * book.listing.lotsPerUnit)
  book.positionLots += fill.side === "BUY" ? lots : -lots
}

/**
 * Compares the quotes with the venue's open orders: returns cancels for unknown orders and forgets quotes that no
 * longer exist. Leaves quotes with a command in flight unchanged.
 */
export const reconcile = (
  book: QuoteBook,
  rows: ReadonlyArray<OrderResponse>,
  requestedAtMillis: number
): ReadonlyArray<Command> => {
  const symbol = book.listing.symbol
  const listed = new Set(rows.map((row) => row.order_id))
  for (const order of book.orders.values()) {
    const isGone = order.state === "Resting" && order.sinceMillis < requestedAtMillis && !listed.has(order.orderId)
    if (isGone) book.orders.delete(order.clientOrderId)
  }
  return rows
    .filter((row) => row.symbol === symbol && find(book, row.client_order_id, row.order_id) === undefined)
    .map(({ order_id }) => ({ type: "cancel_order", params: { symbol, order_id, cancel_order_id_type: "order_id" } }))
}

/** Pauses after a refusal. All refused quotes of one turn count as one refusal. */
const pause = (book: QuoteBook, nowMillis: number): void => {
  if (nowMillis < book.pausedUntilMillis) return
  const wasQuiet = nowMillis - book.refusedAtMillis > quietMillis
  book.pauseMillis = wasQuiet ? firstPauseMillis : Math.min(book.pauseMillis * 2, longestPauseMillis)
  book.refusedAtMillis = nowMillis
  book.pausedUntilMillis = nowMillis + book.pauseMillis
}

const staleMillis = 15_000
const firstPauseMillis = 1_000
const longestPauseMillis = 30_000
/** Time without a refusal after which the pause starts at its minimum again. */
const quietMillis = 60_000

/** Applies a refusal: forgets a new quote, leaves a resting quote unchanged. */
function refused(book: QuoteBook, order: Working, nowMillis: number): void {
  if (order.state === "Sending") book.orders.delete(order.clientOrderId)
  else book.orders.set(order.clientOrderId, { ...order, state: "Resting" })
  pause(book, nowMillis)
}

function nameOf(working: Working): {
  readonly order_id: string
  readonly cancel_order_id_type: "order_id" | "client_order_id"
} {
  return working.orderId === ""
    ? { order_id: working.clientOrderId, cancel_order_id_type: "client_order_id" }
    : { order_id: working.orderId, cancel_order_id_type: "order_id" }
}

/**
 * Returns a quote by either id. A response might lack one of them, and the response to a cancel by client order id
 * has that id as its order id.
 */
function find(book: QuoteBook, clientOrderId: string, orderId: string): Working | undefined {
  const known = book.orders.get(clientOrderId) ?? book.orders.get(orderId)
  if (known !== undefined || orderId === "") return known
  for (const order of book.orders.values()) if (order.orderId === orderId) return order
  return undefined
}
