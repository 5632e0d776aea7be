/** The market's own checks of an order, in the sequence of rule 4.14. The first failed check determines the refusal. */
import { moneyScale, unitScale } from "@venue/domain/Decimal"
import { minimumNotional, type Instrument, largestOrder, notional } from "@venue/domain/Instrument"
import type { Finding, Priced } from "@venue/domain/Market"
import type { Bracket, Order, OrderType, TimeInForce } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"
import { crosses, type Market } from "../Market.ts"
import * as OrderPool from "../book/OrderPool.ts"
import type { Account } from "../state/Participants.ts"
import * as Stops from "../stops/Stops.ts"
import { isFresh } from "../prices/Pricing.ts"

/** User limits that the command carries. */
export interface Terms {
  readonly maxNotional: number
  readonly finding: Finding
}

/** Checks the order's shape again, although the desk has done so: a malformed order must never enter the book. */
export const shape = (
  type: OrderType,
  timeInForce: TimeInForce,
  priceTicks: number,
  quantityLots: number
): OrderRefusal | undefined => {
  if (type !== "LIMIT" && type !== "MARKET" && type !== "ALO") return "INVALID_ORDER_TYPE"
  const only = type === "MARKET" ? "IOC" : type === "ALO" ? "GTC" : timeInForce
  if (timeInForce !== only) return "INVALID_TIME_IN_FORCE"
  if (!isCount(quantityLots)) return "INVALID_TICK_SIZE_PRECISION_QUANTITY"
  return type === "MARKET" || isCount(priceTicks) ? undefined : "INVALID_TICK_SIZE_PRECISION_PRICE"
}

/** Returns the refusal of an order in its new form. `replaced` is the lots before a modify, or 0 for a new order. */
export const refusal = (
  market: Market,
  prices: Priced,
  account: Account,
  order: Order,
  replaced: number,
  terms: Terms
): OrderRefusal | undefined => {
  if (!isFresh(market, prices, order.updatedAtMillis) && !onlyReduces(account, order, replaced))
    return "REJECTED_MARKET_CLOSED"
  const outside = order.type === "MARKET" ? undefined : range(prices, order)
  if (outside !== undefined) return outside
  if (!order.reduceOnly && isBelowMinimum(market.instrument, prices, order)) return "REJECTED_LESS_THAN_MIN_NOTIONAL"
  const unfitting =
    order.bracket === undefined ? undefined : bracketFlaw(market.instrument, prices, order, order.bracket)
  if (unfitting !== undefined) return unfitting
  const isOver =
    (replaced === 0 && isOneTooMany(market, account, order, terms.finding)) ||
    (order.bracket !== undefined && stopsLeft(market, account, order) < stopsOfOne)
  if (isOver) return "REJECTED_TOO_MANY_OPEN_ORDERS"
  if (order.reduceOnly) {
    if (reducible(market, account, order, replaced) <= 0) return "REJECTED"
  } else {
    const beyond = limits(market, prices, account, order, replaced, terms.maxNotional)
    if (beyond !== undefined) return beyond
  }
  return terms.finding === null || terms.finding === "REJECTED_TOO_MANY_OPEN_ORDERS" ? undefined : terms.finding
}

/**
 * Returns the maximum lots of a reduce-only order. An order that trades immediately can close the whole position,
 * because resting reduce-only orders are cut as the position shrinks. An order that rests must leave room for the
 * reduce-only orders that already rest.
 */
export const reducible = (market: Market, account: Account, order: Order, replaced: number): number => {
  const { priceTicks, side, timeInForce, type } = order
  const isSell = side === "SELL"
  const trades = timeInForce !== "GTC" || (type !== "ALO" && crosses(market, isSell, priceTicks))
  return heldAgainst(account, isSell) - (trades ? 0 : account.reducing - replaced)
}

/** Returns true if the order and all resting orders of its side together do not exceed the position. */
function onlyReduces(account: Account, { quantityLots, reduceOnly, side }: Order, replaced: number): boolean {
  const isSell = side === "SELL"
  const beside = (isSell ? account.selling : account.buying) - replaced
  return reduceOnly || quantityLots + beside <= heldAgainst(account, isSell)
}

/** Returns the lots that an order on that side can close; negative if the order would increase the position. */
export const heldAgainst = ({ position }: Account, isSell: boolean): number =>
  isSell ? position.quantityLots : -position.quantityLots

/**
 * Returns how many more stops the account can have besides this order's own stops. Counts existing stops and the
 * stops that other open orders might create.
 */
export const stopsLeft = ({ pool, stops }: Market, account: Account, { orderId }: Order): number => {
  let left = Stops.most
  const own = OrderPool.find(pool, orderId)
  const first = pool.brackets.size === 0 ? 0 : account.oldest
  for (let slot = first; slot !== 0; slot = pool.words[slot + OrderPool.NEWER]!) {
    if (slot !== own && OrderPool.bracket(pool, slot) !== undefined) left -= stopsOfOne
  }
  for (const { parentId } of Stops.ofAccount(stops, account)) {
    // Stops attached to an open order are counted with that order.
    if (parentId === null || OrderPool.find(pool, parentId) === 0) left--
  }
  return left
}

/** Maximum number of stops of one order: a take profit and a stop loss. */
export const stopsOfOne = 2

export function isCount(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= largestOrder
}

function range(prices: Priced, { priceTicks, side }: Order): OrderRefusal | undefined {
  if (priceTicks < prices.minPriceTicks) return "PRICE_LESS_THAN_MIN_PRICE"
  if (priceTicks > prices.maxPriceTicks) return "PRICE_GREATER_THAN_MAX_PRICE"
  if (side === "SELL") return priceTicks < prices.lowerTicks ? "PRICE_LESS_THAN_MIN_PRICE" : undefined
  return priceTicks > prices.upperTicks ? "PRICE_GREATER_THAN_MAX_PRICE" : undefined
}

/**
 * Checks the order's bracket. The take profit must lie on the profitable side of the order's price and the stop loss
 * on the other side. A MARKET order is compared with the mark price.
 */
function bracketFlaw(
  { tickE8 }: Instrument,
  prices: Priced,
  { priceTicks, side, type }: Order,
  { stopLossTicks, takeProfitTicks }: Bracket
): OrderRefusal | undefined {
  const referenceE8 = type === "MARKET" ? prices.markE8 : priceTicks * tickE8
  const sign = side === "BUY" ? 1 : -1
  if (takeProfitTicks !== 0 && !((takeProfitTicks * tickE8 - referenceE8) * sign > 0)) return "INVALID_TAKEPROFIT_PRICE"
  return stopLossTicks !== 0 && !((referenceE8 - stopLossTicks * tickE8) * sign > 0)
    ? "INVALID_STOPLOSS_PRICE"
    : undefined
}

function isBelowMinimum(instrument: Instrument, prices: Priced, { priceTicks, quantityLots, type }: Order): boolean {
  return type === "MARKET"
    ? compare(instrument, prices.markE8, quantityLots, minimumNotional) < 0
    : notional(instrument, priceTicks, quantityLots) < minimumNotional
}

/** The desk limits open orders over all symbols, and the market limits them for this symbol. */
function isOneTooMany({ settings }: Market, account: Account, { timeInForce }: Order, finding: Finding): boolean {
  return (
    finding === "REJECTED_TOO_MANY_OPEN_ORDERS" ||
    (timeInForce === "GTC" && account.openOrders >= settings.maxOpenOrders)
  )
}

/** Checks position and open-interest limits. An order that reduces the position is exempt, even above the limits. */
function limits(
  market: Market,
  prices: Priced,
  account: Account,
  order: Order,
  replaced: number,
  maxNotional: number
): OrderRefusal | undefined {
  if (onlyReduces(account, order, replaced)) return undefined
  const { instrument, participants } = market
  const { priceTicks, quantityLots, side } = order
  const isSell = side === "SELL"
  const { user } = account
  const lots = user.held + (isSell ? user.selling : user.buying) - replaced + quantityLots
  // A MARKET order has no price and is valued at the mark.
  const value = isSell ? prices.markE8 : Math.max(prices.markE8, priceTicks * instrument.tickE8)
  if (compare(instrument, value, lots, share(maxNotional, prices)) > 0) return "REJECTED_WOULD_BREACH_MAX_NOTIONAL"
  const cap = share(market.maxOpenInterest, prices)
  return compare(instrument, prices.markE8, participants.totals.openInterest + quantityLots, cap) > 0
    ? "REJECTED_OPEN_INTEREST_LIMIT"
    : undefined
}

/**
 * Returns the share of a limit that currently applies, rounded down. Multiplies whole ten-thousandths and the
 * remainder separately, so that no product exceeds 2^53.
 */
export function share(money: number, { limitShareBps }: Priced): number {
  if (limitShareBps === 10_000) return money
  const whole = Math.floor(money / 10_000)
  return whole * limitShareBps + Math.floor(((money - whole * 10_000) * limitShareBps) / 10_000)
}

/**
 * Compares the value of lots at a price in 1e-8 USD with an amount of money. The exact product might exceed 2^53, so
 * it is computed only if the floating-point values are too close to compare.
 */
function compare(instrument: Instrument, priceE8: number, lots: number, money: number): number {
  const wanted = money * unitsPerMoney
  const nearly = priceE8 * lots * instrument.lotE8 - wanted
  if (Math.abs(nearly) > wanted * tolerance) return nearly
  return Number(BigInt(priceE8) * BigInt(lots) * BigInt(instrument.lotE8) - BigInt(money) * BigInt(unitsPerMoney))
}

/** Factor from 1e-6 USD to 1e-8 USD x 1e-8 units. */
const unitsPerMoney = (unitScale * unitScale) / moneyScale
const tolerance = 1e-12
