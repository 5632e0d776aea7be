/**
 * Records when and over which connection open orders were placed and modified, for traders with an armed connection.
 * The cancel after a lost connection spares orders placed after the connection was last seen. A dead-man switch's
 * cancel spares orders placed after it fired. An order without a stored time counts as older.
 */
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { maxSpared, type OrderRequest } from "@venue/domain/Order"
import { type OrderId, orderIdFrom, parseOrderId } from "@venue/domain/OrderId"
import type { UserId } from "@venue/domain/UserId"
import * as DeadManSwitches from "@venue/ledger/DeadManSwitches"
import * as Ledger from "@venue/ledger/Ledger"
import type { Trader } from "../traders/Trader.ts"

export interface OrderTimes {
  /** Records a request that was sent to its market, with its connection if that is armed or about to be armed. */
  readonly entered: (trader: Trader, request: OrderRequest, connectionId: string | undefined) => void
  /**
   * Returns the orders that a cancel spares: those placed or modified after the cutoff over another connection.
   * Returns at most the newest `maxSpared` orders, so that in doubt an order is cancelled.
   */
  readonly after: (trader: Trader, cutoff: Cutoff, symbol: MarketSymbol) => ReadonlyArray<OrderId>
  /** Deletes the times of a trader without an armed connection or a fired switch. */
  readonly tidy: (trader: Trader) => void
}

/** Scope of a cancel: the account's orders up to `atMillis`, and later orders over the lost connection. */
export interface Cutoff {
  /** Empty for a dead-man switch. */
  readonly connectionId: string
  readonly accountId: AccountId
  /** Time at which the connection was last seen, or the switch fired. */
  readonly atMillis: number
}

interface Arrival {
  readonly atMillis: number
  readonly connectionId: string | undefined
}

interface Times {
  readonly orderId: OrderId
  readonly accountId: AccountId
  readonly symbol: MarketSymbol
  readonly placed: Arrival | undefined
  /** Last modify request, which might be pending or refused. */
  readonly modified: Arrival | undefined
}

interface OfTrader {
  /** Order times by order id, oldest request first. */
  readonly orders: Map<string, Times>
  /** Number of entries at which closed orders are pruned. */
  pruneAt: number
}

export const make = (now: () => number): OrderTimes => {
  const traders = new Map<UserId, OfTrader>()

  const keep = (trader: Trader, key: string, times: Times) => {
    let mine = traders.get(trader.userId)
    if (mine === undefined) traders.set(trader.userId, (mine = { orders: new Map(), pruneAt: leastPruned }))
    mine.orders.delete(key)
    mine.orders.set(key, times)
    if (mine.orders.size < mine.pruneAt) return
    prune(trader, mine.orders)
    mine.pruneAt = Math.max(leastPruned, 2 * mine.orders.size)
  }
  return {
    entered: (trader, request, connectionId) => {
      if (!isKept(trader)) return
      const { accountId, commandId, symbol } = request
      const arrival = { atMillis: now(), connectionId }
      if (request._tag === "PlaceOrder") {
        const orderId = orderIdFrom(commandId)
        keep(trader, commandId.text, { orderId, accountId, symbol, placed: arrival, modified: undefined })
      }
      if (request._tag !== "ModifyOrder") return
      const orderId = parseOrderId(request.orderId)
      if (orderId === undefined) return
      const placed = traders.get(trader.userId)?.orders.get(request.orderId)?.placed
      keep(trader, request.orderId, { orderId, accountId, symbol, placed, modified: arrival })
    },
    after: (trader, cutoff, symbol) => {
      const isAfter = (arrival: Arrival | undefined) =>
        arrival !== undefined && arrival.atMillis > cutoff.atMillis && arrival.connectionId !== cutoff.connectionId
      const spared: Array<OrderId> = []
      for (const times of traders.get(trader.userId)?.orders.values() ?? []) {
        if (times.accountId !== cutoff.accountId || times.symbol !== symbol) continue
        const isModified = isAfter(times.modified) && mayBeModified(trader, times)
        if ((isModified || isAfter(times.placed)) && mayBeOpen(trader, times)) spared.push(times.orderId)
      }
      return spared.slice(-maxSpared)
    },
    tidy: (trader) => {
      if (!isKept(trader)) traders.delete(trader.userId)
    }
  }
}

const isKept = ({ ledger }: Trader): boolean =>
  Ledger.armed(ledger).size > 0 || DeadManSwitches.fired(ledger).length > 0

const held = ({ ledger }: Trader, { accountId, orderId, symbol }: Times) =>
  Ledger.held(ledger, accountId, symbol, orderId.text)

/** While a market is not live, the desk might have queued a request that is not in the ledger yet. */
const mayBeOpen = (trader: Trader, times: Times): boolean => !trader.isLive() || held(trader, times) !== undefined

/**
 * Returns false after the market has reported the order without the modification and while no modify request is
 * pending.
 */
const mayBeModified = (trader: Trader, times: Times): boolean => {
  const hold = held(trader, times)
  return hold?.order === undefined || hold.order.modified || hold.replacements.length > 0
}

const prune = (trader: Trader, orders: Map<string, Times>): void => {
  for (const [key, times] of orders) if (!mayBeOpen(trader, times)) orders.delete(key)
  for (const key of orders.keys()) {
    if (orders.size <= maxKept) break
    orders.delete(key)
  }
}

const leastPruned = 64
/**
 * Maximum number of entries per trader, normally more than the trader's open and in-flight orders. Above it, the
 * oldest entries are deleted.
 */
const maxKept = 8_192
