/**
 * Margin checks: each holds margin before a command is sent, or returns the reason for a refusal (rule 6, rule 7,
 * I27). The account must be refreshed first.
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

/** Holds margin for a new order and returns null. If a check fails, holds nothing and returns the reason. */
export const place = (trader: Trader, account: Account, exposure: Exposure, hold: OrderHold): Finding => {
  if (hold.mayRest && account.openOrders >= trader.settings.maxOpenOrdersPerAccount)
    return "REJECTED_TOO_MANY_OPEN_ORDERS"
  if (!trader.prices.has(exposure.instrument.symbol) && !hold.reduceOnly) {
    // A closed market refuses the order before it reads this reason. If the market opens in the meantime, this reason
    // keeps out an order without margin.
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

/** Holds margin for the new state in addition to the current state. A decrease at the same price needs no margin. */
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

/** Returns the bankruptcy price in ticks if the market's price for a close would be worse; otherwise 0. */
export const closingBound = (account: Account, exposure: Exposure, priced: Priced): number => {
  const { instrument, position } = exposure
  if (position.quantityLots === 0) return 0
  const priceTicks = closingPrice(instrument, priced, position.quantityLots > 0)
  return closedEquity(account, exposure, priceTicks) >= 0n ? 0 : bankruptcyTicks(account, exposure)
}

/**
 * Returns the bankruptcy price in ticks, the worst fill price of an order that can only shrink the position. Returns
 * 0 for any other order. `moreLots` counts lots of an order that has no hold yet.
 */
export const reducingBound = (
  account: Account,
  exposure: Exposure,
  order: Pick<OrderHold, "reduceOnly" | "side">,
  moreLots = 0
): number =>
  reduces(exposure, order.side) && onlyReduces(exposure, order, moreLots) ? bankruptcyTicks(account, exposure) : 0

/**
 * Returns true if the account can afford a hold that is already counted. A MARKET order always passes if it only
 * reduces, because the market limits its price.
 */
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

/** Returns the taker fee on the whole order. */
export function wholeFee({ instrument, rates }: Exposure, priceTicks: number, lots: number): number {
  return feeOf(notional(instrument, priceTicks, lots), rates.taker)
}

/** Returns true if the order's lots would raise the open interest over all markets above its limit (rule 6.7). */
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

/** Returns true if the value of the side's orders stays exact: below 2^53, or 9e9 USD, far above all limits. */
export function fits(
  { buys, instrument, sells }: Exposure,
  { reduceOnly, side }: Pick<OrderHold, "reduceOnly" | "side">,
  priceTicks: number,
  lots: number
): boolean {
  const held = side === "BUY" ? buys.value : sells.value
  return reduceOnly || Number.isSafeInteger(held + notional(instrument, priceTicks, lots))
}

/** Returns true if an order can only shrink the position. The order's lots are already counted, except `moreLots`. */
function onlyReduces(
  exposure: Exposure,
  { reduceOnly, side }: Pick<OrderHold, "reduceOnly" | "side">,
  moreLots = 0
): boolean {
  return reduceOnly || coversSide(exposure, side, moreLots)
}

/**
 * Returns the price in ticks at which closing the whole position leaves no equity, rounded towards the mark. Returns
 * 0 if a long position leaves equity at any price, and one tick if a short position leaves debt at any price.
 */
function bankruptcyTicks(account: Account, { instrument, position, value }: Exposure): number {
  // Equity without the position. If it is negative, a long must sell for at least this debt.
  const rest = account.equity - BigInt(value)
  const perTick = BigInt(Math.abs(position.quantityLots) * instrument.tickLotMicros)
  if (position.quantityLots > 0) return rest >= 0n ? 0 : Number((-rest + perTick - 1n) / perTick)
  return rest < perTick ? 1 : Number(rest / perTick)
}

/** Returns the account's equity if the whole position were closed at a price; negative beyond the bankruptcy price. */
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
