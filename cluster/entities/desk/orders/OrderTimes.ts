/**
 * When the open orders of traders with an armed connection were placed and modified, and over which connection: the
 * cancel after a lost one spares what came after it was last heard of, and that of a dead-man switch what came after it
 * fired. An order of which nothing is known came before.
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
  /** A request is on its way to its market; it came over this connection if that is armed, or about to be. */
  readonly entered: (trader: Trader, request: OrderRequest, connectionId: string | undefined) => void
  /**
   * Orders of the account that were placed or modified after that time, and not over that connection. Where there are
   * more than a cancel may spare, these are the newest: to cancel is what was promised.
   */
  readonly after: (trader: Trader, lost: Lost, symbol: MarketSymbol) => ReadonlyArray<OrderId>
  /** Forgets a trader that no cancel may come for. */
  readonly tidy: (trader: Trader) => void
}

export interface Lost {
  /** Empty where it was no connection, but the account's dead-man switch fired at that time. */
  readonly connectionId: string
  readonly accountId: AccountId
  readonly heardAtMillis: number
}

interface Told {
  readonly atMillis: number
  readonly connectionId: string | undefined
}

interface Times {
  readonly orderId: OrderId
  readonly accountId: AccountId
  readonly symbol: MarketSymbol
  readonly placed: Told | undefined
  /** It may yet be refused, or was. */
  readonly modified: Told | undefined
}

/** What came last is last. */
interface OfTrader {
  readonly orders: Map<string, Times>
  /** With so many, those that are no longer open are looked for. */
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
      const told = { atMillis: now(), connectionId }
      if (request._tag === "PlaceOrder") {
        const orderId = orderIdFrom(commandId)
        keep(trader, commandId.text, { orderId, accountId, symbol, placed: told, modified: undefined })
      }
      if (request._tag !== "ModifyOrder") return
      const orderId = parseOrderId(request.orderId)
      if (orderId === undefined) return
      const placed = traders.get(trader.userId)?.orders.get(request.orderId)?.placed
      keep(trader, request.orderId, { orderId, accountId, symbol, placed, modified: told })
    },
    after: (trader, lost, symbol) => {
      const isAfter = (told: Told | undefined) =>
        told !== undefined && told.atMillis > lost.heardAtMillis && told.connectionId !== lost.connectionId
      const spared: Array<OrderId> = []
      for (const times of traders.get(trader.userId)?.orders.values() ?? []) {
        if (times.accountId !== lost.accountId || times.symbol !== symbol) continue
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

/** While some market is not live, a request may wait of which the ledger knows nothing. */
const mayBeOpen = (trader: Trader, times: Times): boolean => !trader.isLive() || held(trader, times) !== undefined

/** What is said of it is not behind the market's word that it was not. */
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
/** More than the orders a trader's accounts may have open and on their way, as a rule; the oldest are forgotten. */
const maxKept = 8_192
