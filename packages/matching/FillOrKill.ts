/** Whether all of an order could be filled at once: the question of FOK. */
import type { Order } from "@venue/domain/Order"
import * as Book from "./Book.ts"
import { stopsOfOne } from "./Checks.ts"
import * as Ladder from "./Ladder.ts"
import { type Market, mostEvents } from "./Market.ts"
import type { Account, User } from "./Participants.ts"
import * as OrderPool from "./OrderPool.ts"
import * as Stops from "./Stops.ts"

/** Own resting orders do not count, nor do reduce-only orders that earlier fills of the same order would cut. */
export const isFillable = (market: Market, account: Account, order: Order, limitTicks: number): boolean => {
  const isSell = order.side === "SELL"
  const { user } = account
  const ladder = isSell ? market.bids : market.asks
  const own = isSell ? user.buying : user.selling
  const perLevel = own === 0 && market.participants.reducing === 0
  const cuts: Cuts = new Map()
  let wanted = order.quantityLots
  for (
    let priceTicks = ladder.best;
    isWithin(isSell, priceTicks, limitTicks);
    priceTicks = Ladder.next(ladder, priceTicks)
  ) {
    const level = Ladder.placeOf(ladder, priceTicks)
    wanted -= perLevel
      ? Math.min(wanted, ladder.totals[level]!)
      : fillableAt(market, user, ladder.heads[level]!, wanted, cuts)
    if (wanted === 0) return isBrief(market, account, order, limitTicks)
  }
  return false
}

/**
 * Says whether all fills together bring fewer events than those after which an order is cut short (rule 4.16). It counts
 * the most that there could be: a reduce-only order may be cut or ended by each other order of its account that trades,
 * and then fills nothing.
 */
function isBrief(market: Market, taker: Account, order: Order, limitTicks: number): boolean {
  const { pool, stops } = market
  const isSell = order.side === "SELL"
  const ladder = isSell ? market.bids : market.asks
  const seen = new Set([taker])
  const ofOneTrade = 1 + (order.bracket === undefined ? 0 : stopsOfOne) + (taker.reducing > 0 ? 1 : 0)
  let events = Stops.ofAccount(stops, taker).length + (taker.reducing > 0 ? taker.openOrders : 0)
  let wanted = order.quantityLots
  for (
    let priceTicks = ladder.best;
    wanted > 0 && isWithin(isSell, priceTicks, limitTicks);
    priceTicks = Ladder.next(ladder, priceTicks)
  ) {
    let slot = ladder.heads[Ladder.placeOf(ladder, priceTicks)]!
    for (; slot !== 0 && wanted > 0; slot = pool.words[slot + NEXT]!) {
      const account = Book.accountOf(market, slot)
      const brings = OrderPool.bracket(pool, slot) === undefined ? 0 : stopsOfOne
      events += ofOneTrade + brings
      if (!seen.has(account)) {
        seen.add(account)
        events += brings + Stops.ofAccount(stops, account).length + (account.reducing > 0 ? account.openOrders : 0)
      }
      if (events >= mostEvents) return false
      const isCounted = account.user !== taker.user && (pool.words[slot + TRAITS]! & OrderPool.reduceOnly) === 0
      if (isCounted) wanted -= pool.words[slot + REMAINING]!
    }
  }
  return true
}

/** The fills of this order leave so much of an account's reduce-only orders, oldest first. */
type Cuts = Map<Account, { held: number; readonly lots: Map<number, number> }>

const { NEXT, NEWER, REMAINING, TRAITS } = OrderPool

function isWithin(isSell: boolean, priceTicks: number, limitTicks: number): boolean {
  return isSell
    ? priceTicks !== 0 && priceTicks >= limitTicks
    : priceTicks !== Ladder.beyond && priceTicks <= limitTicks
}

function fillableAt(market: Market, user: User, head: number, wanted: number, cuts: Cuts): number {
  const { words } = market.pool
  let filled = 0
  for (let slot = head; slot !== 0 && filled < wanted; slot = words[slot + NEXT]!) {
    const account = Book.accountOf(market, slot)
    if (account.user === user) continue
    const remaining = words[slot + REMAINING]!
    if (account.reducing === 0) filled += Math.min(wanted - filled, remaining)
    else {
      const reducing = cutsOf(market, account, cuts)
      const lots = Math.min(wanted - filled, reducing.lots.get(slot) ?? remaining)
      filled += lots
      fill(reducing, slot, lots)
    }
  }
  return filled
}

/** An account's reduce-only orders are all on the side against its position. */
function cutsOf(market: Market, account: Account, cuts: Cuts): { held: number; readonly lots: Map<number, number> } {
  const known = cuts.get(account)
  if (known !== undefined) return known
  const { words } = market.pool
  const lots = new Map<number, number>()
  for (let slot = account.oldest; slot !== 0; slot = words[slot + NEWER]!) {
    if ((words[slot + TRAITS]! & OrderPool.reduceOnly) !== 0) lots.set(slot, words[slot + REMAINING]!)
  }
  const made = { held: Math.abs(account.position.quantityLots), lots }
  cuts.set(account, made)
  return made
}

/** Keeps the oldest reduce-only orders within what is still held, as the market does after each trade. */
function fill(reducing: { held: number; readonly lots: Map<number, number> }, slot: number, lots: number): void {
  const own = reducing.lots.get(slot)
  if (own !== undefined) reducing.lots.set(slot, own - lots)
  reducing.held -= lots
  let room = Math.max(0, reducing.held)
  for (const [order, left] of reducing.lots) {
    reducing.lots.set(order, Math.min(left, room))
    room -= Math.min(left, room)
  }
}
