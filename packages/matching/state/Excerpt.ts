/**
 * The part of a market that one incoming order can touch, as a market of its own: what the order does there is what it would
 * do, and the market itself stays as it is.
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
  /** The account of the order. */
  readonly account: Participants.Account
}

/** The order takes `limitTicks` or better. Its account need not be known. */
export const make = (
  whole: Market,
  account: Participants.Account,
  order: Order,
  limitTicks: number,
  atMillis: number
): Excerpt => {
  // What is not made anew here, an incoming order replaces or only reads.
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

/** An account in the excerpt, and the orders of it that were taken: where each is in the excerpt, by where it is in the whole. */
interface Copy {
  readonly account: Participants.Account
  readonly slots: Map<number, number>
}

const { ACCOUNT, NEXT, PRICE, REMAINING, TRAITS } = OrderPool

/**
 * Gives the resting orders that it may come to, the first first. Each of them brings an event, if only because it ends
 * before its turn, so that no order comes further than to as many as there may be events (rule 4.16).
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

/** With its position and its stops. */
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
    // None fires here, and of those that are due it is known where they are.
    market.stops.due.add(own)
  }
  return copy
}

/** It stands at its price, and is not in the list of its account yet. */
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

/** By age where that matters: whoever trades may have reduce-only orders cut, at whatever price they rest. */
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

/** What is not in the excerpt counts as before. */
function count(known: Participants.Account, copy: Participants.Account): void {
  const { buying, held, selling } = known.user
  Object.assign(copy.user, { buying, held, selling })
  copy.openOrders = known.openOrders
  copy.buying = known.buying
  copy.selling = known.selling
}
