/**
 * Excerpt of a market: a copy of only the part that one incoming order can affect. The order has the same effects in
 * the copy as in the market, which stays unchanged.
 */
import type { Order } from "@venue/domain/Order"
import * as Book from "../book/Book.ts"
import * as Ladder from "../book/Ladder.ts"
import { type Market, mostEvents } from "../Market.ts"
import * as OrderPool from "../book/OrderPool.ts"
import * as Participants from "./Participants.ts"
import * as Stops from "../stops/Stops.ts"

export interface Excerpt {
  readonly market: Market
  readonly account: Participants.Account
}

/**
 * Copies the part that an order at `limitTicks` or better can touch. The order's account might be new to the market.
 */
export const make = (
  whole: Market,
  account: Participants.Account,
  order: Order,
  limitTicks: number,
  atMillis: number
): Excerpt => {
  // An incoming order replaces or only reads the members that are not copied here.
  const market: Market = {
    ...whole,
    timeMillis: atMillis,
    pool: OrderPool.make(),
    bids: Ladder.make("BUY"),
    asks: Ladder.make("SELL"),
    participants: Participants.make(),
    stops: Stops.make(whole.instrument.tickE8)
  }
  const copies: Copies = { whole, market, accounts: new Map() }
  const own = accountOf(copies, account)
  for (const slot of within(whole, account.user, order, limitTicks)) {
    take(copies, accountOf(copies, Book.accountOf(whole, slot)), slot)
  }
  for (const [known, copy] of copies.accounts) {
    enlist(copies, known, copy)
    count(known, copy.account)
  }
  market.participants.reducing = whole.participants.reducing
  return { market, account: own.account }
}

interface Copies {
  readonly whole: Market
  readonly market: Market
  readonly accounts: Map<Participants.Account, Copy>
}

/** An account in the excerpt; `slots` maps its orders' slots in the market to slots in the excerpt. */
interface Copy {
  readonly account: Participants.Account
  readonly slots: Map<number, number>
}

const { ACCOUNT, NEXT, PRICE, REMAINING, TRAITS } = OrderPool

/**
 * Yields the resting orders that the order can reach, in priority order. Each reached order records at least one
 * event, so the event limit bounds their number (rule 4.16).
 */
function* within(
  { asks, bids, participants, pool }: Market,
  user: Participants.User,
  order: Order,
  limitTicks: number
): Iterable<number> {
  const { words } = pool
  const isSell = order.side === "SELL"
  const ladder = isSell ? bids : asks
  let wanted = order.quantityLots
  let left = mostEvents + 1
  for (let priceTicks = ladder.best; wanted > 0 && left > 0; priceTicks = Ladder.next(ladder, priceTicks)) {
    if (isSell ? priceTicks === 0 || priceTicks < limitTicks : priceTicks > limitTicks) return
    let slot = ladder.heads[Ladder.placeOf(ladder, priceTicks)]!
    for (; slot !== 0 && wanted > 0 && left > 0; slot = words[slot + NEXT]!) {
      yield slot
      left--
      const isOwn = participants.accounts[words[slot + ACCOUNT]!]!.user === user
      const isSure = !isOwn && (words[slot + TRAITS]! & OrderPool.reduceOnly) === 0
      if (isSure) wanted -= words[slot + REMAINING]!
    }
  }
}

function isReduceOnly({ pool }: Market, slot: number): boolean {
  return (pool.words[slot + TRAITS]! & OrderPool.reduceOnly) !== 0
}

function accountOf({ accounts, market, whole }: Copies, known: Participants.Account): Copy {
  const before = accounts.get(known)
  if (before !== undefined) return before
  const account = Participants.account(market.participants, known.accountId, known.user.userId)
  const copy: Copy = { account, slots: new Map() }
  accounts.set(known, copy)
  Object.assign(account.position, known.position)
  for (const stop of Stops.ofAccount(whole.stops, known)) {
    const own = { ...stop, account }
    Stops.keep(market.stops, own)
    // No stop fires in an excerpt; due stops stay due.
    market.stops.due.add(own)
  }
  return copy
}

/** Copies an order to the queue at its price. `enlist` adds the order to its account's list later. */
function take({ market, whole }: Copies, { account, slots }: Copy, slot: number): void {
  const { pool } = whole
  const taken = OrderPool.take(market.pool, OrderPool.orderId(pool, slot), OrderPool.clientOrderId(pool, slot))
  const { words } = market.pool
  for (let word = PRICE; word < OrderPool.own; word++) words[taken + word] = pool.words[slot + word]!
  words[taken + ACCOUNT] = account.number
  OrderPool.setBracket(market.pool, taken, OrderPool.bracket(pool, slot))
  Book.enqueue(market, taken)
  slots.set(slot, taken)
}

/** Links an account's orders by age. Needed for trading accounts, whose reduce-only orders can be cut at any price. */
function enlist(copies: Copies, known: Participants.Account, copy: Copy): void {
  const { market, whole } = copies
  if (known.reducing === 0) {
    for (const taken of copy.slots.values()) Book.enlist(market, taken)
    return
  }
  for (const slot of Book.byAge(whole, known)) {
    if (isReduceOnly(whole, slot) && !copy.slots.has(slot)) take(copies, copy, slot)
    const taken = copy.slots.get(slot)
    if (taken !== undefined) Book.enlist(market, taken)
  }
}

/** Copies the counts of an account, including orders outside the excerpt. */
function count(known: Participants.Account, copy: Participants.Account): void {
  const { buying, held, selling } = known.user
  Object.assign(copy.user, { buying, held, selling })
  copy.openOrders = known.openOrders
  copy.buying = known.buying
  copy.selling = known.selling
}
