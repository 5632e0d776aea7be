/** Fill-or-kill check: whether an order can be filled in full at once. */
import type { Order } from "@venue/domain/Order"
import * as Book from "../book/Book.ts"
import { stopsOfOne } from "./Checks.ts"
import * as Ladder from "../book/Ladder.ts"
import { type Market, mostEvents } from "../Market.ts"
import type { Account, User } from "../state/Participants.ts"
import * as OrderPool from "../book/OrderPool.ts"
import * as Stops from "../stops/Stops.ts"

/**
 * Returns true if the order can be filled in full. Ignores the account's own resting orders, and reduce-only orders
 * that earlier fills of this order would cut. Examines at most as many orders as one order is allowed to match.
 */
export const isFillable = (market: Market, account: Account, order: Order, limitTicks: number): boolean =>
  isBrief(market, account, order, limitTicks) && isThere(market, account, order, limitTicks)

/**
 * Returns true if all fills together record fewer events than the limit for one order (rule 4.16). Assumes the worst
 * case, in which each fill cuts or ends every other reduce-only order of the filled account.
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

function isThere(market: Market, account: Account, order: Order, limitTicks: number): boolean {
  const isSell = order.side === "SELL"
  const { user } = account
  const ladder = isSell ? market.bids : market.asks
  const own = isSell ? user.buying : user.selling
  const perLevel = own === 0 && market.participants.reducing === 0
  const cuts: Cuts = new Map()
  let wanted = order.quantityLots
  for (
    let priceTicks = ladder.best;
    wanted > 0 && isWithin(isSell, priceTicks, limitTicks);
    priceTicks = Ladder.next(ladder, priceTicks)
  ) {
    const level = Ladder.placeOf(ladder, priceTicks)
    wanted -= perLevel
      ? Math.min(wanted, ladder.totals[level]!)
      : fillableAt(market, user, ladder.heads[level]!, wanted, cuts)
  }
  return wanted === 0
}

/** Simulated state of an account's reduce-only orders after the fills that were already examined. */
interface Reducing {
  held: number
  left: number
  /** Orders newer than this one have ended. */
  newest: number
  /** Remaining lots of the orders that were filled or cut. */
  readonly lots: Map<number, number>
}

type Cuts = Map<Account, Reducing>

const { NEXT, OLDER, REMAINING, TRAITS } = OrderPool

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
      const reducing = reducingOf(account, cuts)
      const left = reducing.lots.get(slot) ?? remaining
      const lots = Math.min(wanted - filled, left)
      filled += lots
      reducing.held -= lots
      if ((words[slot + TRAITS]! & OrderPool.reduceOnly) !== 0) take(reducing, slot, lots, left)
      trim(words, reducing)
    }
  }
  return filled
}

/** Returns the state of an account's reduce-only orders. All of them are on the side that closes the position. */
function reducingOf(account: Account, cuts: Cuts): Reducing {
  const known = cuts.get(account)
  if (known !== undefined) return known
  const held = Math.abs(account.position.quantityLots)
  const made = { held, left: account.reducing, newest: account.newest, lots: new Map() }
  cuts.set(account, made)
  return made
}

function take(reducing: Reducing, slot: number, lots: number, left: number): void {
  reducing.lots.set(slot, left - lots)
  reducing.left -= lots
}

/**
 * Cuts the newest orders until all of them fit the remaining position, as the market does after each trade. Each
 * ended order is visited only once.
 */
function trim(words: OrderPool.OrderPool["words"], reducing: Reducing): void {
  for (;;) {
    const excess = reducing.left - Math.max(0, reducing.held)
    const slot = reducing.newest
    if (excess <= 0 || slot === 0) return
    if ((words[slot + TRAITS]! & OrderPool.reduceOnly) !== 0) {
      const left = reducing.lots.get(slot) ?? words[slot + REMAINING]!
      take(reducing, slot, Math.min(left, excess), left)
      if (left > excess) return
    }
    reducing.newest = words[slot + OLDER]!
  }
}
