/** A new price or quantity for an open order. */
import type { Modify } from "@venue/domain/Market"
import type { OrderRefusal } from "@venue/domain/Reject"
import * as Book from "./Book.ts"
import * as Checks from "./Checks.ts"
import { crosses, type Events, type Market } from "./Market.ts"
import type { Account } from "./Participants.ts"
import { done, refuse } from "./Outcome.ts"
import * as OrderPool from "./OrderPool.ts"
import * as Match from "./Match.ts"

/** A refusal leaves the order as it was; a success records the new state, then what it traded, then that it is done. */
export const modify = (market: Market, account: Account, command: Modify, events: Events): void => {
  const slot = OrderPool.find(market.pool, command.orderId)
  const isOwn = slot !== 0 && Book.accountOf(market, slot) === account
  const status = isOwn ? change(market, account, command, slot, events) : "CANNOT_MODIFY_NO_SUCH_ORDER"
  if (status === undefined) done(market, command, account.user, events)
  else refuse(market, command, status, events)
}

/** Makes the change unless something refuses it. */
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
  if (before.remaining < before.quantity) return "CANNOT_MODIFY_PARTIAL_FILL"
  const price = command.price === 0 ? before.price : command.price
  const asked = command.quantity === 0 ? before.quantity : command.quantity
  const misshapen = Checks.shape(before.type, before.timeInForce, price, asked)
  if (misshapen !== undefined) return misshapen
  const meets = crosses(market, before.side === "SELL", price)
  if (meets && before.type === "ALO") return "CANNOT_MODIFY_ALO_WOULD_CROSS"
  const wanted = Book.modified(before, price, asked, market.timeMillis)
  const status = Checks.refusal(market, market.prices!, account, wanted, before.remaining, command)
  if (status !== undefined) return status
  const quantity = before.reduceOnly ? Math.min(asked, Checks.reducible(account, wanted, before.remaining)) : asked
  const order = Book.modified(before, price, quantity, market.timeMillis)
  const requeued = price !== before.price || quantity > before.quantity
  events.push({ _tag: "Modified", commandId: command.commandId, order, requeued, atMillis: market.timeMillis })
  if (!meets) {
    Book.change(market, slot, order, requeued)
    return undefined
  }
  Book.dequeue(market, slot)
  Book.restate(market, slot, order, true)
  const { leverage, takerRate } = command
  const taker = { order, account, slot, limit: price, rate: takerRate, leverage, remaining: quantity }
  Match.cross(market, taker, events)
  if (taker.remaining > 0) Book.enqueue(market, slot)
  else Book.discard(market, slot)
  return undefined
}
