/** Modification of an open order or stop: a new price or quantity. */
import type { Modify } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"
import * as Book from "../book/Book.ts"
import * as Checks from "./Checks.ts"
import { crosses, type Events, type Market } from "../Market.ts"
import type { Account } from "../state/Participants.ts"
import { done, refuse } from "./Outcome.ts"
import * as OrderPool from "../book/OrderPool.ts"
import * as Match from "./Match.ts"
import * as StopOrder from "../stops/StopOrder.ts"
import * as Stops from "../stops/Stops.ts"

/** Modifies an order: records the new state, the trades, then the completion. A refusal leaves the order unchanged. */
export const modify = (market: Market, account: Account, command: Modify, events: Events): void => {
  const slot = OrderPool.find(market.pool, command.orderId)
  const isOwn = slot !== 0 && Book.accountOf(market, slot) === account
  const status = isOwn ? change(market, account, command, slot, events) : stop(market, account, command, events)
  if (status === undefined) done(market, command, account.user, events)
  else refuse(market, command, status, events)
}

function stop(market: Market, account: Account, command: Modify, events: Events): OrderRefusal | undefined {
  const found = Stops.find(market.stops, command.orderId)
  return found?.account === account ? StopOrder.modify(market, found, command, events) : "CANNOT_MODIFY_NO_SUCH_ORDER"
}

function change(
  market: Market,
  account: Account,
  command: Modify,
  slot: number,
  events: Events
): OrderRefusal | undefined {
  const before = Book.order(market, slot)
  const isSame =
    before.side === command.side && before.type === command.type && before.reduceOnly === command.reduceOnly
  if (!isSame) return "CANNOT_MODIFY_NO_SUCH_ORDER"
  if (before.remainingLots < before.quantityLots) return "CANNOT_MODIFY_PARTIAL_FILL"
  const priceTicks = command.priceTicks === 0 ? before.priceTicks : command.priceTicks
  const requestedLots = command.quantityLots === 0 ? before.quantityLots : command.quantityLots
  const misshapen = Checks.shape(before.type, before.timeInForce, priceTicks, requestedLots)
  if (misshapen !== undefined) return misshapen
  const meets = crosses(market, before.side === "SELL", priceTicks)
  if (meets && before.type === "ALO") return "CANNOT_MODIFY_ALO_WOULD_CROSS"
  const bracketed = rebracketed(before, command)
  const wanted = Book.modified(bracketed, priceTicks, requestedLots, market.timeMillis)
  const status = Checks.refusal(market, market.prices!, account, wanted, before.remainingLots, command)
  if (status !== undefined) return status
  const quantityLots = before.reduceOnly
    ? Math.min(requestedLots, Checks.reducible(market, account, wanted, before.remainingLots))
    : requestedLots
  const order = Book.modified(bracketed, priceTicks, quantityLots, market.timeMillis)
  const requeued = priceTicks !== before.priceTicks || quantityLots > before.quantityLots
  events.push({ _tag: "Modified", commandId: command.commandId, order, requeued, atMillis: market.timeMillis })
  if (!meets) {
    Book.change(market, slot, order, requeued)
    return undefined
  }
  // The order keeps its age in the account's list, but leaves its queue while it matches as a taker.
  Book.dequeue(market, slot)
  Book.lessen(market, slot, before.remainingLots)
  const { leverage, takerRate } = command
  const taker = { order, account, limitTicks: priceTicks, rate: takerRate, leverage, remainingLots: quantityLots }
  Match.cross(market, taker, events)
  const left = Match.left(market, taker, events)
  if (left === undefined) Book.discard(market, slot)
  else {
    Book.restate(market, slot, left, true)
    Book.enqueue(market, slot)
  }
  return undefined
}

/**
 * Returns the order with its new bracket. Omitted stop prices stay unchanged, and a bracket without prices is
 * removed.
 */
function rebracketed(order: Order, { stopLossTicks, takeProfitTicks, takerRate }: Modify): Order {
  if (stopLossTicks === undefined && takeProfitTicks === undefined) return order
  const { bracket, ...plain } = order
  const changed = {
    takeProfitTicks: takeProfitTicks ?? bracket?.takeProfitTicks ?? 0,
    stopLossTicks: stopLossTicks ?? bracket?.stopLossTicks ?? 0,
    takerRate
  }
  return changed.takeProfitTicks === 0 && changed.stopLossTicks === 0 ? plain : { ...plain, bracket: changed }
}
