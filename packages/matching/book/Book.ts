/** Open orders and their queues by price: adds, reduces, moves and removes orders. */
import type { Order } from "@venue/domain/Order"
import * as Ladder from "./Ladder.ts"
import { builderNumber, type Market } from "../Market.ts"
import * as ClientOrderIds from "./ClientOrderIds.ts"
import * as Participants from "../state/Participants.ts"
import * as OrderPool from "./OrderPool.ts"

const { ACCOUNT, BUILDER, NEWER, NEXT, OLDER, PREVIOUS, PRICE, QUANTITY, RATE, REMAINING, TRAITS } = OrderPool

/** Fee terms fixed when the order was accepted. */
export interface Terms {
  readonly makerRate: number
  readonly leverage: number
}

/** Adds an order at its price, behind the orders that are already at this price. */
export const add = (market: Market, account: Participants.Account, order: Order, terms: Terms): void => {
  const { pool } = market
  const slot = OrderPool.take(pool, order.orderId, order.clientOrderId)
  const { words } = pool
  words[slot + PRICE] = order.priceTicks
  words[slot + QUANTITY] = order.quantityLots
  words[slot + REMAINING] = order.remainingLots
  words[slot + ACCOUNT] = account.number
  words[slot + RATE] = terms.makerRate
  words[slot + TRAITS] =
    OrderPool.originTrait(order.origin) |
    (terms.leverage << OrderPool.leverageShift) |
    (order.side === "SELL" ? OrderPool.sell : 0) |
    (order.type === "ALO" ? OrderPool.addLiquidityOnly : 0) |
    (order.reduceOnly ? OrderPool.reduceOnly : 0) |
    (order.modified ? OrderPool.modified : 0)
  words[slot + BUILDER] = builderNumber(market, order.builderCode)
  OrderPool.setUpdatedAt(pool, slot, order.updatedAtMillis)
  OrderPool.setBracket(pool, slot, order.bracket)
  enlist(market, slot)
  enqueue(market, slot)
}

/** Adds the order to its account's list as the newest order. */
export const enlist = (market: Market, slot: number): void => {
  const { words } = market.pool
  const account = accountOf(market, slot)
  words[slot + NEWER] = 0
  words[slot + OLDER] = account.newest
  if (account.newest === 0) account.oldest = slot
  else words[account.newest + NEWER] = slot
  account.newest = slot
  account.openOrders++
  if (account.byClientOrderId !== undefined)
    ClientOrderIds.add(account.byClientOrderId, OrderPool.clientOrderId(market.pool, slot), slot)
  rest(market, slot, words[slot + REMAINING]!)
}

/** Puts the order at the back of the queue at its price. */
export const enqueue = (market: Market, slot: number): void => {
  const { words } = market.pool
  const priceTicks = words[slot + PRICE]!
  const ladder = ladderOf(market, slot)
  const level = Ladder.place(ladder, priceTicks)
  const last = ladder.tails[level]!
  words[slot + NEXT] = 0
  words[slot + PREVIOUS] = last
  ladder.tails[level] = slot
  if (last === 0) {
    ladder.heads[level] = slot
    Ladder.open(ladder, priceTicks, level)
  } else words[last + NEXT] = slot
  ladder.totals[level]! += words[slot + REMAINING]!
  Ladder.touch(ladder, priceTicks, level)
}

/** Removes the order from its queue. The order stays open, and the caller must queue or discard it afterwards. */
export const dequeue = (market: Market, slot: number): void => {
  const { words } = market.pool
  const priceTicks = words[slot + PRICE]!
  const ladder = ladderOf(market, slot)
  const level = Ladder.placeOf(ladder, priceTicks)
  const next = words[slot + NEXT]!
  const previous = words[slot + PREVIOUS]!
  if (previous === 0) ladder.heads[level] = next
  else words[previous + NEXT] = next
  if (next === 0) ladder.tails[level] = previous
  else words[next + PREVIOUS] = previous
  ladder.totals[level]! -= words[slot + REMAINING]!
  Ladder.touch(ladder, priceTicks, level)
  if (next === 0 && previous === 0) Ladder.close(ladder, priceTicks, level)
}

/** Reduces a resting order's lots after a fill or a cut. The order keeps its time priority. */
export const shrink = (market: Market, slot: number, lots: number): void => {
  const ladder = ladderOf(market, slot)
  const priceTicks = market.pool.words[slot + PRICE]!
  const level = Ladder.placeOf(ladder, priceTicks)
  ladder.totals[level]! -= lots
  Ladder.touch(ladder, priceTicks, level)
  lessen(market, slot, lots)
}

/** Reduces the open lots of an order that is in no queue. */
export const lessen = (market: Market, slot: number, lots: number): void => {
  market.pool.words[slot + REMAINING]! -= lots
  rest(market, slot, -lots)
}

/** Takes the order out of its queue and closes it. */
export const remove = (market: Market, slot: number): void => {
  dequeue(market, slot)
  discard(market, slot)
}

/** Closes an order that is in no queue. */
export const discard = (market: Market, slot: number): void => {
  const { words } = market.pool
  const account = accountOf(market, slot)
  const remaining = words[slot + REMAINING]!
  if (remaining > 0) lessen(market, slot, remaining)
  const newer = words[slot + NEWER]!
  const older = words[slot + OLDER]!
  if (newer === 0) account.newest = older
  else words[newer + OLDER] = older
  if (older === 0) account.oldest = newer
  else words[older + NEWER] = newer
  account.openOrders--
  if (account.byClientOrderId !== undefined)
    ClientOrderIds.remove(account.byClientOrderId, OrderPool.clientOrderId(market.pool, slot), slot)
  OrderPool.release(market.pool, slot)
}

/** Changes a queued order. If `requeued` is true, the order goes to the back of the queue at its new price. */
export const change = (market: Market, slot: number, order: Order, requeued: boolean): void => {
  if (requeued) dequeue(market, slot)
  restate(market, slot, order, requeued)
  if (requeued) enqueue(market, slot)
}

/** Writes a modified order to its slot. If `isOut`, the order is in no queue and can have any price and quantity. */
export const restate = (market: Market, slot: number, order: Order, isOut: boolean): void => {
  const { pool } = market
  const { words } = pool
  const fewer = words[slot + REMAINING]! - order.remainingLots
  if (isOut) lessen(market, slot, fewer)
  else shrink(market, slot, fewer)
  words[slot + PRICE] = order.priceTicks
  words[slot + QUANTITY] = order.quantityLots
  words[slot + TRAITS]! |= OrderPool.modified
  OrderPool.setBracket(pool, slot, order.bracket)
  OrderPool.setUpdatedAt(pool, slot, order.updatedAtMillis)
}

/** Returns the slots of the account's open orders, oldest first. */
export const byAge = ({ pool }: Market, account: Participants.Account): ReadonlyArray<number> => {
  const slots: Array<number> = []
  for (let slot = account.oldest; slot !== 0; slot = pool.words[slot + NEWER]!) slots.push(slot)
  return slots
}

/** Returns the slots of an account's open orders with a client order id, oldest first. */
export const withClientOrderId = (
  market: Market,
  account: Participants.Account,
  clientOrderId: string
): Iterable<number> => {
  const { pool } = market
  if (account.byClientOrderId === undefined) {
    account.byClientOrderId = new Map()
    for (const slot of byAge(market, account)) {
      ClientOrderIds.add(account.byClientOrderId, OrderPool.clientOrderId(pool, slot), slot)
    }
  }
  return ClientOrderIds.find(account.byClientOrderId, clientOrderId)
}

export const accountOf = (market: Market, slot: number): Participants.Account =>
  market.participants.accounts[market.pool.words[slot + ACCOUNT]!]!

/**
 * Returns an open order in the form that events carry. The time in force is always GTC, because other orders never
 * rest. A caller that already has the id passes it to save an allocation. `remaining` is the quantity after a fill.
 */
export const order = (
  market: Market,
  slot: number,
  orderId = OrderPool.orderId(market.pool, slot),
  remainingLots = market.pool.words[slot + REMAINING]!
): Order => {
  const { pool } = market
  const { words } = pool
  const account = market.participants.accounts[words[slot + ACCOUNT]!]!
  const traits = words[slot + TRAITS]!
  const bracket = OrderPool.bracket(pool, slot)
  const found: Order = {
    orderId,
    userId: account.user.userId,
    accountId: account.accountId,
    side: (traits & OrderPool.sell) === 0 ? "BUY" : "SELL",
    type: (traits & OrderPool.addLiquidityOnly) === 0 ? "LIMIT" : "ALO",
    timeInForce: "GTC",
    priceTicks: words[slot + PRICE]!,
    quantityLots: words[slot + QUANTITY]!,
    remainingLots,
    reduceOnly: (traits & OrderPool.reduceOnly) !== 0,
    clientOrderId: OrderPool.clientOrderId(pool, slot),
    origin: OrderPool.origin(pool, slot),
    builderCode: market.builderCodes[words[slot + BUILDER]!]!,
    modified: (traits & OrderPool.modified) !== 0,
    updatedAtMillis: OrderPool.updatedAt(pool, slot)
  }
  return bracket === undefined ? found : { ...found, bracket }
}

/** Returns the order with new terms. An object literal is several times faster here than spreading the old order. */
export const modified = (order: Order, priceTicks: number, quantityLots: number, atMillis: number): Order => {
  const changed: Order = {
    orderId: order.orderId,
    userId: order.userId,
    accountId: order.accountId,
    side: order.side,
    type: order.type,
    timeInForce: order.timeInForce,
    priceTicks,
    quantityLots,
    remainingLots: quantityLots,
    reduceOnly: order.reduceOnly,
    clientOrderId: order.clientOrderId,
    origin: order.origin,
    builderCode: order.builderCode,
    modified: true,
    updatedAtMillis: atMillis
  }
  return order.bracket === undefined ? changed : { ...changed, bracket: order.bracket }
}

/**
 * Returns an incoming order with its remaining quantity. `updatedAtMillis` stays the same, because the order is
 * filled at the time of its placement or modify.
 */
export const unfilled = (order: Order, remainingLots: number): Order => {
  const changed: Order = {
    orderId: order.orderId,
    userId: order.userId,
    accountId: order.accountId,
    side: order.side,
    type: order.type,
    timeInForce: order.timeInForce,
    priceTicks: order.priceTicks,
    quantityLots: order.quantityLots,
    remainingLots,
    reduceOnly: order.reduceOnly,
    clientOrderId: order.clientOrderId,
    origin: order.origin,
    builderCode: order.builderCode,
    modified: order.modified,
    updatedAtMillis: order.updatedAtMillis
  }
  return order.bracket === undefined ? changed : { ...changed, bracket: order.bracket }
}

/** Adds lots to the resting lots of the order's account and user. */
function rest(market: Market, slot: number, lots: number): void {
  const traits = market.pool.words[slot + TRAITS]!
  const isSell = (traits & OrderPool.sell) !== 0
  Participants.rest(market.participants, accountOf(market, slot), isSell, (traits & OrderPool.reduceOnly) !== 0, lots)
}

function ladderOf(market: Market, slot: number): Ladder.Ladder {
  return (market.pool.words[slot + TRAITS]! & OrderPool.sell) === 0 ? market.bids : market.asks
}
