/** Matching of an incoming order with resting ones: trades, self-trade prevention, and cuts of reduce-only orders. */
import { feeOf } from "@venue/domain/Fee"
import { notional } from "@venue/domain/Instrument"
import type { Id } from "@venue/domain/Id"
import type { EndStatus, Order } from "@venue/domain/Order"
import * as Book from "../book/Book.ts"
import * as Brackets from "../stops/Brackets.ts"
import * as Builders from "./Builders.ts"
import { heldAgainst } from "./Checks.ts"
import * as Ladder from "../book/Ladder.ts"
import { type Events, type Market, mostEvents } from "../Market.ts"
import * as Participants from "../state/Participants.ts"
import * as OrderPool from "../book/OrderPool.ts"
import * as StopOrder from "../stops/StopOrder.ts"
import * as Stops from "../stops/Stops.ts"
import { ofTrade } from "./TradeId.ts"

export interface Taker {
  /** The order as accepted, modified or cut. */
  readonly order: Order
  readonly account: Participants.Account
  /** Worst acceptable price, in ticks. */
  readonly limitTicks: number
  readonly rate: number
  readonly leverage: number
  remainingLots: number
}

/**
 * Trades at resting prices in price-time priority until the order or the other side is exhausted, or the order
 * reaches its event limit (rule 4.16). Stops are cut to the positions only once, at the end, which suffices because
 * each position moves in one direction only. Cutting after every trade would record thousands of events for a maker
 * with many orders and stops.
 */
export const cross = (market: Market, taker: Taker, events: Events): void => {
  const { stops } = market
  const isSell = taker.order.side === "SELL"
  const ladder = isSell ? market.bids : market.asks
  const { user } = taker.account
  // Cutting stops at the end can add one event for each stop of a trading account.
  let most = events.length + mostEvents - Stops.ofAccount(stops, taker.account).length
  let moved: Set<Participants.Account> | undefined
  while (taker.remainingLots > 0 && events.length < most && reaches(taker, isSell, ladder.best)) {
    const priceTicks = ladder.best
    const maker = ladder.heads[Ladder.placeOf(ladder, priceTicks)]!
    const account = Book.accountOf(market, maker)
    if (account.user === user) end(market, maker, "CANCELLED_STP", null, events)
    else {
      trade(market, taker, maker, account, priceTicks, events)
      if (stops.byId.size > 0 && !(moved ??= new Set()).has(account)) {
        moved.add(account)
        most -= Stops.ofAccount(stops, account).length
      }
    }
  }
  if (moved === undefined) return
  for (const account of moved) StopOrder.trim(market, account, events)
  StopOrder.trim(market, taker.account, events)
}

/** Returns true if the taker would trade at the best price of the other side. */
function reaches({ limitTicks }: Taker, isSell: boolean, bestTicks: number): boolean {
  return isSell ? bestTicks >= limitTicks && bestTicks !== 0 : bestTicks <= limitTicks && bestTicks !== Ladder.beyond
}

/** Ends an open order that is not completely filled. */
export const end = (
  market: Market,
  slot: number,
  status: EndStatus,
  commandId: Id | null,
  events: Events,
  order = Book.order(market, slot)
): void => {
  Book.remove(market, slot)
  events.push({ _tag: "Ended", commandId, order, status, atMillis: market.timeMillis })
}

/** Ends an incoming order that is not allowed to rest, with its unfilled quantity. */
export const lapse = (market: Market, order: Order, events: Events): void => {
  const { quantityLots, remainingLots, timeInForce } = order
  const immediate = remainingLots < quantityLots ? "IOC_PARTIALLY_FILLED" : "IOC_CANCELLED"
  const status = timeInForce === "FOK" ? "CANCELLED" : immediate
  events.push({ _tag: "Ended", commandId: null, order, status, atMillis: market.timeMillis })
}

/** Books both sides of a trade; the market's own account receives the fees. */
export const bookTrade = (
  market: Market,
  maker: Participants.Account,
  taker: Participants.Account,
  takerSells: boolean,
  lots: number,
  money: number,
  makerFee: number,
  takerFee: number
): { readonly maker: number; readonly taker: number } => ({
  taker: Participants.fill(market.participants, taker, takerSells ? "SELL" : "BUY", lots, money, takerFee),
  maker: Participants.fill(market.participants, maker, takerSells ? "BUY" : "SELL", lots, money, makerFee)
})

const { QUANTITY, RATE, REMAINING, TRAITS } = OrderPool

function trade(
  market: Market,
  taker: Taker,
  slot: number,
  account: Participants.Account,
  priceTicks: number,
  events: Events
): void {
  const { words } = market.pool
  const left = words[slot + REMAINING]!
  const lots = Math.min(left, taker.remainingLots)
  const each = notional(market.instrument, priceTicks, 1)
  const money = each * lots
  const makerFee = feeOf(money, words[slot + RATE]!)
  const takerFee = feeOf(money, taker.rate)
  const takerSells = taker.order.side === "SELL"
  const makerLeverage = OrderPool.leverage(market.pool, slot)
  const makerMargin = marginUsed(account, !takerSells, lots, each, makerLeverage)
  const takerMargin = marginUsed(taker.account, takerSells, lots, each, taker.leverage)
  OrderPool.setUpdatedAt(market.pool, slot, market.timeMillis)
  const maker = Book.order(market, slot, undefined, left - lots)
  if (lots === left) Book.remove(market, slot)
  else Book.shrink(market, slot, lots)
  taker.remainingLots -= lots
  const realised = bookTrade(market, account, taker.account, takerSells, lots, money, makerFee, takerFee)
  const makerReward = Builders.rewardOf(market, maker.builderCode, makerFee)
  const takerReward = Builders.rewardOf(market, taker.order.builderCode, takerFee)
  Builders.bookReward(market, makerReward)
  Builders.bookReward(market, takerReward)
  market.lastPriceTicks = priceTicks
  const number = ++market.trades
  events.push({
    _tag: "Traded",
    tradeId: ofTrade(number, market.salt),
    number,
    priceTicks,
    quantityLots: lots,
    notional: money,
    maker: { order: maker, fee: makerFee, realised: realised.maker, marginUsed: makerMargin, reward: makerReward },
    taker: {
      order: unfilled(taker),
      fee: takerFee,
      realised: realised.taker,
      marginUsed: takerMargin,
      reward: takerReward
    },
    atMillis: market.timeMillis
  })
  if (account.reducing > 0) trim(market, account, events)
  if (taker.account.reducing > 0) trim(market, taker.account, events)
  // Read before the fill, because the book drops the leverage of a maker that is completely filled.
  if (maker.bracket !== undefined) Brackets.grow(market, account, maker, maker.bracket, lots, makerLeverage, events)
  const { bracket } = taker.order
  if (bracket !== undefined) Brackets.grow(market, taker.account, taker.order, bracket, lots, taker.leverage, events)
}

/** Returns the initial margin of the lots that increase the position. Must be called before the fill is booked. */
function marginUsed(
  { position }: Participants.Account,
  isSell: boolean,
  lots: number,
  each: number,
  leverage: number
): number {
  const held = position.quantityLots
  const against = Math.max(0, isSell ? held : -held)
  return against >= lots ? 0 : Math.ceil((each * (lots - against)) / leverage)
}

export const unfilled = ({ order, remainingLots }: Taker): Order => Book.unfilled(order, remainingLots)

/**
 * Returns the part of the incoming order that can rest, or undefined. An order that could still trade has reached its
 * event limit and ends. A reduce-only order is cut to the room that resting reduce-only orders leave, and ends if
 * there is no room.
 */
export const left = (market: Market, taker: Taker, events: Events): Order | undefined => {
  const { account, order, remainingLots } = taker
  if (remainingLots === 0) return undefined
  const remainder = unfilled(taker)
  if (order.timeInForce !== "GTC") return remainder
  const isSell = order.side === "SELL"
  if (reaches(taker, isSell, (isSell ? market.bids : market.asks).best)) {
    lapse(market, remainder, events)
    return undefined
  }
  if (!order.reduceOnly) return remainder
  const room = heldAgainst(account, isSell) - account.reducing
  if (room >= remainingLots) return remainder
  const atMillis = market.timeMillis
  if (room <= 0) {
    events.push({ _tag: "Ended", commandId: null, order: remainder, status: "CANCELLED", atMillis })
    return undefined
  }
  const quantityLots = order.quantityLots - remainingLots + room
  const fitting = Book.unfilled(Book.modified(order, order.priceTicks, quantityLots, atMillis), room)
  events.push({ _tag: "Modified", commandId: null, order: fitting, requeued: false, atMillis })
  return fitting
}

/**
 * Cuts or ends the newest reduce-only orders until all remaining ones together fit the position. Runs between any two
 * trades, so that these orders never flip the position. Excludes the incoming order, because a modified order is out
 * of the book while it matches.
 */
export function trim(market: Market, account: Participants.Account, events: Events): void {
  const { pool } = market
  let slot = account.newest
  while (slot !== 0) {
    const older = pool.words[slot + OrderPool.OLDER]!
    const traits = pool.words[slot + TRAITS]!
    const remaining = pool.words[slot + REMAINING]!
    if ((traits & OrderPool.reduceOnly) !== 0 && remaining > 0) {
      const excess = account.reducing - Math.max(0, heldAgainst(account, (traits & OrderPool.sell) !== 0))
      if (excess <= 0) return
      if (excess >= remaining) end(market, slot, "CANCELLED", null, events)
      else {
        Book.shrink(market, slot, excess)
        pool.words[slot + QUANTITY]! -= excess
        pool.words[slot + TRAITS] = traits | OrderPool.modified
        OrderPool.setUpdatedAt(pool, slot, market.timeMillis)
        events.push({
          _tag: "Modified",
          commandId: null,
          order: Book.order(market, slot),
          requeued: false,
          atMillis: market.timeMillis
        })
      }
    }
    slot = older
  }
}
