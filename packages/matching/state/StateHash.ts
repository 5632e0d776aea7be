/** Hash of a market's state. The hash does not depend on slots and pages, so it is the same after a replay. */
import type { Id } from "@venue/domain/Id"
import { positionLimitUsd } from "@venue/domain/Leverage"
import type { Order } from "@venue/domain/Order"
import * as Book from "../book/Book.ts"
import * as Ladder from "../book/Ladder.ts"
import type { Market } from "../Market.ts"
import * as Outcomes from "../orders/Outcomes.ts"
import type { Account, Participants } from "./Participants.ts"
import * as OrderPool from "../book/OrderPool.ts"
import type { Stops } from "../stops/Stops.ts"
import type { Twaps } from "../stops/Twaps.ts"
import { mix } from "@venue/domain/BitMix"

/** Returns sixteen hexadecimal digits. */
export const hash = (market: Market): string => {
  const digest: Digest = { high: 1, low: 2 }
  text(digest, market.instrument.symbol)
  text(digest, market.tradingState)
  for (const value of [
    market.timeMillis,
    market.lastPriceTicks,
    market.trades,
    market.lastDividendDay,
    market.instrument.minQuantityLots,
    market.instrument.maxQuantityLots,
    positionLimitUsd(market.instrument),
    market.maxOpenInterest,
    market.lastSplitDay,
    market.lastSplitMillis,
    market.settlementTicks,
    market.holders.longUsers,
    market.holders.shortUsers
  ])
    number(digest, value)
  if (market.prices !== undefined) {
    const { prices } = market
    const values = [
      prices.oracleE8,
      prices.toldE8,
      prices.toldAtMillis,
      prices.rejections,
      prices.paused ? 1 : 0,
      prices.markE8,
      prices.freshMarkE8,
      prices.premiumE8,
      prices.lowerTicks,
      prices.upperTicks,
      prices.minPriceTicks,
      prices.maxPriceTicks,
      prices.limitShareBps,
      prices.bidTicks,
      prices.askTicks,
      prices.openInterestLots,
      prices.atMillis
    ]
    for (const value of values) number(digest, value)
    text(digest, prices.source)
  }
  const { fundShort, paused, stale, tradingState, unbelieved } = market.since
  for (const value of [paused, stale, tradingState, unbelieved, fundShort]) number(digest, value)
  const { premiumE10, samples, untilMillis } = market.sampling
  for (const value of [premiumE10 ?? Infinity, untilMillis, samples.count, samples.weighted]) number(digest, value)
  number(digest, market.oracleSamples.lastMark)
  for (const [priceE8, count] of market.oracleSamples.runs) for (const value of [priceE8, count]) number(digest, value)
  side(digest, market, market.bids)
  side(digest, market, market.asks)
  builders(digest, market)
  topUps(digest, market)
  participants(digest, market)
  stops(digest, market.stops)
  takeovers(digest, market)
  twaps(digest, market.twaps)
  remembered(digest, market)
  return hex(digest.high) + hex(digest.low)
}

interface Digest {
  high: number
  low: number
}

const { NEWER, NEXT, RATE } = OrderPool

/** Hashes the orders from the best price on, in queue order at each price. */
function side(digest: Digest, market: Market, ladder: Ladder.Ladder): void {
  const { words } = market.pool
  text(digest, ladder.side)
  for (let price = ladder.best; price !== 0 && price !== Ladder.beyond; price = Ladder.next(ladder, price)) {
    const level = Ladder.placeOf(ladder, price)
    number(digest, ladder.totals[level]!)
    for (let slot = ladder.heads[level]!; slot !== 0; slot = words[slot + NEXT]!) {
      order(digest, Book.order(market, slot))
      number(digest, words[slot + RATE]!)
      number(digest, OrderPool.leverage(market.pool, slot))
    }
  }
}

function order(digest: Digest, order: Order): void {
  for (const value of [order.priceTicks, order.quantityLots, order.remainingLots, order.updatedAtMillis])
    number(digest, value)
  const { accountId, builderCode, clientOrderId, orderId, origin, type, userId } = order
  id(digest, orderId)
  for (const value of [userId, accountId, type, clientOrderId, builderCode, origin]) text(digest, value)
  number(digest, (order.reduceOnly ? 1 : 0) | (order.modified ? 2 : 0))
  const { bracket } = order
  if (bracket === undefined) return
  for (const value of [bracket.takeProfitTicks, bracket.stopLossTicks, bracket.takerRate]) number(digest, value)
}

function builders(digest: Digest, market: Market): void {
  for (const { builderBps, builderCode, ownerId, venueBps } of sorted(
    [...market.builders.values()],
    (builder) => builder.builderCode
  )) {
    text(digest, builderCode)
    text(digest, ownerId)
    number(digest, venueBps)
    number(digest, builderBps)
  }
}

function topUps(digest: Digest, market: Market): void {
  for (const [topUpId, amount] of market.topUps) {
    text(digest, topUpId)
    number(digest, amount)
  }
}

/** Hashes the participants; accounts that never traded and have no open order are skipped. */
function participants(digest: Digest, market: Market): void {
  const { accounts, users } = market.participants
  for (const account of sorted(accounts, ({ accountId }) => accountId)) {
    const { basis, cashFlow, fees, funding, quantityLots, rewards } = account.position
    const values = [quantityLots, cashFlow, basis, fees, funding, rewards]
    if (account.oldest === 0 && values.every((value) => value === 0)) continue
    text(digest, account.accountId)
    text(digest, account.user.userId)
    for (const value of values) number(digest, value)
    ages(digest, market, account)
  }
  for (const user of sorted(users, ({ userId }) => userId)) {
    if (user.epoch === 0) continue
    text(digest, user.userId)
    number(digest, user.epoch)
  }
  sums(digest, market.participants)
}

function ages(digest: Digest, market: Market, account: Account): void {
  const { pool } = market
  for (let slot = account.oldest; slot !== 0; slot = pool.words[slot + NEWER]!) {
    id(digest, OrderPool.orderId(pool, slot))
  }
  for (const value of [account.openOrders, account.buying, account.selling, account.reducing]) number(digest, value)
}

function sums(digest: Digest, { reducing, totals }: Participants): void {
  const { basis, cash, openInterest, positions, reserveFund, toppedUp, venueFees } = totals
  for (const value of [reducing, basis, cash, openInterest, positions, venueFees, reserveFund, toppedUp])
    number(digest, value)
}

/** Hashes the stops in placement order. The placement order and the due stops determine the queues of waiting stops. */
function stops(digest: Digest, { byId, due, lastSequence }: Stops): void {
  number(digest, lastSequence)
  for (const { leverage, order: placed, parentId, sequence, takerRate } of byId.values()) {
    order(digest, placed)
    for (const value of [placed.side, placed.timeInForce, parentId?.text ?? ""]) text(digest, value)
    for (const value of [sequence, leverage, takerRate]) number(digest, value)
  }
  for (const stop of due) id(digest, stop.order.orderId)
}

function takeovers(digest: Digest, { liquidated, takeovers }: Market): void {
  for (const value of [liquidated.notional, liquidated.atMillis]) number(digest, value)
  for (const { opened, position } of takeovers.values()) {
    id(digest, opened.takeoverId)
    for (const value of [opened.userId, opened.accountId]) text(digest, value)
    for (const value of [opened.expiresAtMillis, opened.quantityLots, opened.markE8, opened.share, opened.atMillis])
      number(digest, value)
    const { basis, cashFlow, fees, funding, quantityLots, rewards } = position
    for (const value of [quantityLots, cashFlow, basis, fees, funding, rewards]) number(digest, value)
  }
}

/** Hashes the TWAPs in the order in which they were opened. */
function twaps(digest: Digest, { byId }: Twaps): void {
  for (const twap of byId.values()) {
    const { accountId, builderCode, clientTwapId, refusal, side, twapId, userId } = twap
    for (const value of [twapId, userId, accountId, clientTwapId, builderCode, side, refusal ?? ""]) text(digest, value)
    for (const value of [twap.totalLots, twap.slices, twap.intervalMillis, twap.reduceOnly ? 1 : 0, twap.worstTicks])
      number(digest, value)
    for (const value of [twap.lastSlice, twap.filledLots, twap.filledValue, twap.filledSlices]) number(digest, value)
    for (const value of [twap.startMillis, twap.createdAtMillis, twap.updatedAtMillis]) number(digest, value)
  }
}

function remembered(digest: Digest, market: Market): void {
  const {
    outcomes,
    participants: { users }
  } = market
  Outcomes.each(outcomes, market.timeMillis, (slot, user) => {
    const { commandId, expiresAtMillis, outcome } = Outcomes.read(outcomes, slot)
    id(digest, commandId)
    text(digest, outcome)
    text(digest, users[user]!.userId)
    number(digest, expiresAtMillis)
  })
}

function sorted<A>(values: ReadonlyArray<A>, key: (value: A) => string): ReadonlyArray<A> {
  return [...values].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

function number(digest: Digest, value: number): void {
  // Adding 0 turns -0 into 0, which is the same number.
  double[0] = value + 0
  word(digest, halves[0]!)
  word(digest, halves[1]!)
}

function id(digest: Digest, { a, b, c, d }: Id): void {
  for (const value of [a, b, c, d]) word(digest, value)
}

function text(digest: Digest, value: string): void {
  word(digest, value.length)
  for (let i = 0; i < value.length; i++) word(digest, value.charCodeAt(i))
}

function word(digest: Digest, value: number): void {
  digest.high = mix(digest.high ^ Math.imul(value + 1, 0x9e3779b1))
  digest.low = mix((digest.low + Math.imul(value ^ digest.high, 0x85ebca77)) | 0)
}

const double = new Float64Array(1)
const halves = new Int32Array(double.buffer)

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, "0")
}
