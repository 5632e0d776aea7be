/**
 * Margin held before a command is sent, or the finding that refuses it (rule 6, rule 7, I27). The account was refreshed
 * before.
 */
import { feeOf } from "@venue/domain/Fee"
import { notional } from "@venue/domain/Instrument"
import type { Finding, Priced } from "@venue/domain/Market"
import * as OpenInterest from "@venue/domain/OpenInterest"
import { closingPrice } from "@venue/domain/PriceBand"
import { type Account, available, refreshIn } from "./Account.ts"
import type { OrderHold, Replacement } from "./OrderHold.ts"
import { count, coversSide, type Exposure, reduces, uncount } from "./Exposure.ts"
import { add, remove, send, type Trader } from "./Trader.ts"

/** Holds a new order, or holds nothing and says why. */
export const place = (trader: Trader, account: Account, exposure: Exposure, hold: OrderHold): Finding => {
  if (hold.mayRest && account.openOrders >= trader.settings.maxOpenOrdersPerAccount)
    return "REJECTED_TOO_MANY_OPEN_ORDERS"
  if (!trader.prices.has(exposure.instrument.symbol) && !hold.reduceOnly) {
    // The market is closed and says so first. Should it open meanwhile, nothing enters that no margin is held for.
    return "FAILED_MARGIN_CHECK"
  }
  if (isTooMuchInAll(trader, exposure, hold, hold.lots)) return "REJECTED_TOTAL_OPEN_INTEREST_LIMIT"
  if (!fits(exposure, hold, hold.priceTicks, hold.lots)) return "FAILED_MARGIN_CHECK"
  add(account, exposure, hold)
  if (!affordable(trader, account, exposure, hold)) {
    remove(account, exposure, hold)
    return "FAILED_MARGIN_CHECK"
  }
  send(trader, account, exposure, hold.orderId, hold.orderId)
  return null
}

/**
 * Holds what an order may become beside what it is. An order that only shrinks at its price needs no margin and always
 * may.
 */
export const replace = (
  trader: Trader,
  account: Account,
  exposure: Exposure,
  hold: OrderHold,
  replacement: Replacement
): Finding => {
  const { lots, priceTicks, replacements } = hold
  const shrinks = replacement.priceTicks === priceTicks && replacement.lots <= lots && replacements.length === 0
  if (!shrinks) {
    if (isTooMuchInAll(trader, exposure, hold, replacement.lots)) return "REJECTED_TOTAL_OPEN_INTEREST_LIMIT"
    if (!fits(exposure, hold, replacement.priceTicks, replacement.lots)) return "FAILED_MARGIN_CHECK"
    become(exposure, hold, replacement.priceTicks, replacement.lots, [])
    const isAffordable = affordable(trader, account, exposure, hold)
    become(exposure, hold, priceTicks, lots, replacements)
    if (!isAffordable) return "FAILED_MARGIN_CHECK"
  }
  become(exposure, hold, priceTicks, lots, [...replacements, replacement])
  send(trader, account, exposure, replacement.commandId, hold.orderId)
  return null
}

/** Gives the bankruptcy price in ticks when a close as its market prices it would pass it; otherwise 0. */
export const closingBound = (account: Account, exposure: Exposure, priced: Priced): number => {
  const { instrument, position } = exposure
  if (position.quantityLots === 0) return 0
  const priceTicks = closingPrice(instrument, priced, position.quantityLots > 0)
  return closedEquity(account, exposure, priceTicks) >= 0n ? 0 : bankruptcyTicks(account, exposure)
}

/**
 * Gives the price beyond which an order may not fill that is not refused for its price: where it can only shrink the
 * position, the bankruptcy price in ticks, and 0 where it has none. `moreLots` are those of an order that is not held yet.
 */
export const reducingBound = (
  account: Account,
  exposure: Exposure,
  order: Pick<OrderHold, "reduceOnly" | "side">,
  moreLots = 0
): number =>
  reduces(exposure, order.side) && onlyReduces(exposure, order, moreLots) ? bankruptcyTicks(account, exposure) : 0

/** Says whether the hold, which is counted already, may stay. A MARKET order is clipped by its market instead. */
function affordable({ prices }: Trader, account: Account, exposure: Exposure, hold: OrderHold): boolean {
  refreshIn(account, exposure, prices)
  if (onlyReduces(exposure, hold)) {
    return (
      hold.type === "MARKET" ||
      exposure.markE8 === 0 ||
      !reduces(exposure, hold.side) ||
      closedEquity(account, exposure, hold.priceTicks) >= 0n
    )
  }
  return available(account) >= BigInt(wholeFee(exposure, hold.priceTicks, hold.lots))
}

/** Gives the taker's fee on all of an order. */
export function wholeFee({ instrument, rates }: Exposure, priceTicks: number, lots: number): number {
  return feeOf(notional(instrument, priceTicks, lots), rates.taker)
}

/** Says whether so many lots of the order would bring all markets past their open interest together (rule 6.7). */
function isTooMuchInAll(
  { openInterest, prices }: Trader,
  exposure: Exposure,
  { counted, reduceOnly, side }: OrderHold,
  lots: number
): boolean {
  const { instrument } = exposure
  const priced = prices.get(instrument.symbol)
  if (priced === undefined || !OpenInterest.isBeyond(openInterest, instrument, priced, lots)) return false
  return !reduceOnly && !coversSide(exposure, side, lots - counted.lots)
}

/** Sums past 2^53 would not be exact; 9e9 USD of one account in one market is far above every position limit. */
export function fits(
  { buys, instrument, sells }: Exposure,
  { reduceOnly, side }: Pick<OrderHold, "reduceOnly" | "side">,
  priceTicks: number,
  lots: number
): boolean {
  const held = side === "BUY" ? buys.value : sells.value
  return reduceOnly || Number.isSafeInteger(held + notional(instrument, priceTicks, lots))
}

/** Says whether an order, which is counted already but for so many lots more, can only shrink the position. */
function onlyReduces(
  exposure: Exposure,
  { reduceOnly, side }: Pick<OrderHold, "reduceOnly" | "side">,
  moreLots = 0
): boolean {
  return reduceOnly || coversSide(exposure, side, moreLots)
}

/**
 * Gives the price at which closing the whole position leaves no equity, rounded towards the mark: 0 where a long leaves
 * some at any price, and one tick where a short leaves debt at any.
 */
function bankruptcyTicks(account: Account, { instrument, position, value }: Exposure): number {
  // Without the position the account would have this; a long may sell for no less than its debt.
  const rest = account.equity - BigInt(value)
  const perTick = BigInt(Math.abs(position.quantityLots) * instrument.tickLotMicros)
  if (position.quantityLots > 0) return rest >= 0n ? 0 : Number((-rest + perTick - 1n) / perTick)
  return rest < perTick ? 1 : Number(rest / perTick)
}

/** Gives the account's equity if the whole position were closed at a price: below zero beyond the bankruptcy price. */
function closedEquity(account: Account, { instrument, position, value }: Exposure, priceTicks: number): bigint {
  return account.equity - BigInt(value) + BigInt(notional(instrument, priceTicks, position.quantityLots))
}

function become(
  exposure: Exposure,
  hold: OrderHold,
  priceTicks: number,
  lots: number,
  replacements: ReadonlyArray<Replacement>
): void {
  uncount(exposure, hold)
  hold.priceTicks = priceTicks
  hold.lots = lots
  hold.replacements = replacements
  count(exposure, hold)
}
