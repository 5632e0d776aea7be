/** Stop orders: placed, modified, ended, and cut to the position they close (rule 15). */
import type { Id } from "@venue/domain/Id"
import type { Modify, Place } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"
import * as Book from "../book/Book.ts"
import { heldAgainst, stopsLeft } from "../orders/Checks.ts"
import { type Events, type Market, stopMarkE8 } from "../Market.ts"
import { remember } from "../orders/Outcome.ts"
import type { Account } from "../state/Participants.ts"
import * as Stops from "./Stops.ts"

export const refusal = (market: Market, account: Account, order: Order): OrderRefusal | undefined =>
  flaw(order) ?? (stopsLeft(market, account, order) > 0 ? room(account, order) : tooMany)

/** Places a stop; its order is always reduce-only. */
export const place = (market: Market, account: Account, command: Place, requested: Order, events: Events): void => {
  const { commandId, expiresAtMillis, leverage, takerRate } = command
  const order = { ...requested, reduceOnly: true }
  remember(market, commandId, expiresAtMillis, account.user, "DONE")
  open(market, account, order, { takerRate, leverage, parentId: null }, commandId, expiresAtMillis, events)
}

/** Opens a stop that waits for the mark. `commandId` is absent for a stop attached to an order. */
export const open = (
  market: Market,
  account: Account,
  order: Order,
  terms: Stops.StopTerms,
  commandId: Id | null,
  expiresAtMillis: number,
  events: Events
): void => {
  events.push({ _tag: "StopPlaced", commandId, expiresAtMillis, order, ...terms, atMillis: market.timeMillis })
  Stops.add(market.stops, account, order, terms, stopMarkE8(market))
}

/** Sets the lots that a stop closes; the stop keeps its priority. */
export const resize = (market: Market, stop: Stops.Stop, lots: number, events: Events): void => {
  const { order } = stop
  if (lots === order.remainingLots) return
  change(market, stop, Book.modified(order, order.priceTicks, lots, market.timeMillis), null, events)
}

export const modify = (market: Market, stop: Stops.Stop, command: Modify, events: Events): OrderRefusal | undefined => {
  const { account, order: before } = stop
  if (before.side !== command.side || before.type !== command.type) return "CANNOT_MODIFY_NO_SUCH_ORDER"
  const priceTicks = command.priceTicks === 0 ? before.priceTicks : command.priceTicks
  const quantityLots = command.quantityLots === 0 ? before.quantityLots : command.quantityLots
  const order = Book.modified(before, priceTicks, quantityLots, market.timeMillis)
  const status = flaw(order) ?? room(account, order)
  if (status === undefined) change(market, stop, order, command.commandId, events)
  return status
}

export const end = (market: Market, stop: Stops.Stop, commandId: Id | null, events: Events): void => {
  Stops.remove(market.stops, stop)
  events.push({ _tag: "Ended", commandId, order: stop.order, status: "CANCELLED", atMillis: market.timeMillis })
}

/** After a trade, cuts each stop to the position and ends stops without a position to close. */
export const trim = (market: Market, account: Account, events: Events): void => {
  for (const stop of Stops.ofAccount(market.stops, account)) {
    const { order } = stop
    const lots = heldAgainst(account, order.side === "SELL")
    if (lots <= 0) end(market, stop, null, events)
    else resize(market, stop, Math.min(lots, order.remainingLots), events)
  }
}

const tooMany = "REJECTED_TOO_MANY_OPEN_ORDERS"

function change(market: Market, stop: Stops.Stop, order: Order, commandId: Id | null, events: Events): void {
  const requeued = order.priceTicks !== stop.order.priceTicks
  Stops.change(market.stops, stop, order, requeued, stopMarkE8(market))
  events.push({ _tag: "Modified", commandId, order, requeued, atMillis: market.timeMillis })
}

/** Checks the shape again, although the desk has done so. Band and daily bounds do not apply to trigger prices. */
function flaw({ priceTicks, quantityLots }: Order): OrderRefusal | undefined {
  if (!isCount(quantityLots)) return "INVALID_TICK_SIZE_PRECISION_QUANTITY"
  return isCount(priceTicks) ? undefined : "INVALID_TICK_SIZE_PRECISION_PRICE"
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0
}

/** Each stop can close at most the whole position, but several stops together are allowed to exceed it. */
function room(account: Account, { quantityLots, side }: Order): OrderRefusal | undefined {
  return quantityLots > heldAgainst(account, side === "SELL") ? "REJECTED" : undefined
}
