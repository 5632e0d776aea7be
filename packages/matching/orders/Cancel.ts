/**
 * Cancels one order or stop, all orders and stand-alone stops with a client order id, or all of an account's orders
 * and stops.
 */
import type { Id } from "@venue/domain/Id"
import type { Cancel, CancelAll } from "@venue/domain/Market"
import type { OrderId } from "@venue/domain/OrderId"
import * as Book from "../book/Book.ts"
import type { Events, Market } from "../Market.ts"
import type { Account } from "../state/Participants.ts"
import { done, refuse } from "./Outcome.ts"
import * as OrderPool from "../book/OrderPool.ts"
import { end } from "./Match.ts"
import * as StopOrder from "../stops/StopOrder.ts"
import * as Stops from "../stops/Stops.ts"

export const cancel = (market: Market, account: Account, command: Cancel, events: Events): void => {
  const { clientOrderId, commandId, orderId } = command
  const found =
    orderId === null
      ? endNamed(market, account, clientOrderId, commandId, events)
      : endOne(market, account, orderId, commandId, events)
  if (found) done(market, command, account.user, events)
  else refuse(market, command, "NO_SUCH_ORDER", events)
}

export const cancelAll = (market: Market, account: Account, command: CancelAll, events: Events): void => {
  if (command.cause === "DISCONNECT") endAllBut(market, account, command, events)
  else endAll(market, account, command.commandId, events)
  done(market, command, account.user, events)
}

/** Ends all orders and stops of the account. */
export const endAll = (market: Market, account: Account, commandId: Id, events: Events): void => {
  endOrders(market, account, commandId, events)
  for (const stop of Stops.ofAccount(market.stops, account)) StopOrder.end(market, stop, commandId, events)
}

function endOrders(market: Market, account: Account, commandId: Id, events: Events): void {
  while (account.oldest !== 0) end(market, account.oldest, "CANCELLED", commandId, events)
}

/**
 * Ends all of the account's orders except the orders in `except`, which were placed or modified after the connection
 * was lost or the switch fired.
 */
function endAllBut(market: Market, account: Account, { commandId, except }: CancelAll, events: Events): void {
  if (except === undefined) return endOrders(market, account, commandId, events)
  const spared = new Set(except.map((orderId) => OrderPool.find(market.pool, orderId)))
  for (const slot of Book.byAge(market, account)) {
    if (!spared.has(slot)) end(market, slot, "CANCELLED", commandId, events)
  }
}

function endOne(market: Market, account: Account, orderId: OrderId, commandId: Id, events: Events): boolean {
  const slot = OrderPool.find(market.pool, orderId)
  if (slot === 0) return endStop(market, account, orderId, commandId, events)
  if (Book.accountOf(market, slot) !== account) return false
  end(market, slot, "CANCELLED", commandId, events, Book.order(market, slot, orderId))
  return true
}

function endStop(market: Market, account: Account, orderId: OrderId, commandId: Id, events: Events): boolean {
  const stop = Stops.find(market.stops, orderId)
  if (stop?.account !== account) return false
  StopOrder.end(market, stop, commandId, events)
  return true
}

/** Ends the orders with a client order id, then the stops, each oldest first. Returns true if any ended. */
function endNamed(market: Market, account: Account, clientOrderId: string, commandId: Id, events: Events): boolean {
  let ended = false
  for (const slot of Book.withClientOrderId(market, account, clientOrderId)) {
    end(market, slot, "CANCELLED", commandId, events)
    ended = true
  }
  for (const stop of Stops.standingAlone(market.stops, account, clientOrderId)) {
    StopOrder.end(market, stop, commandId, events)
    ended = true
  }
  return ended
}
