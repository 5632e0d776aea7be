/** What the market itself asks of an order, in the order of venue-rules 4; the first that fails is the answer. */
import { moneyScale, unitScale } from "@venue/domain/Decimal"
import { type Instrument, notional } from "@venue/domain/Instrument"
import { positionLimitUsd } from "@venue/domain/Leverage"
import type { Finding, Priced } from "@venue/domain/Market"
import type { OrderType, TimeInForce } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"
import type { Market } from "./Market.ts"
import type { Account } from "./Participants.ts"

/** An order as it would stand: a new one, or an open one as a modify asks for it. */
export interface Proposal {
  readonly account: Account
  readonly isSell: boolean
  readonly isMarket: boolean
  readonly reduceOnly: boolean
  /** In ticks; ignored for MARKET. */
  readonly price: number
  readonly quantity: number
  /** Lots of the open order it replaces; 0 for a new one. */
  readonly replaced: number
  readonly isNew: boolean
  readonly mayRest: boolean
  readonly maxNotional: number
  readonly finding: Finding
}

/** The desk has checked the shape; these hold whatever it sends, so that nonsense cannot enter the book. */
export const shape = (type: OrderType, timeInForce: TimeInForce, price: number, quantity: number): OrderRefusal | undefined => {
  if (type !== "LIMIT" && type !== "MARKET" && type !== "ALO") return "INVALID_ORDER_TYPE"
  if (type === "MARKET" ? timeInForce !== "IOC" : type === "ALO" && timeInForce !== "GTC") return "INVALID_TIME_IN_FORCE"
  if (!isCount(quantity)) return "INVALID_TICK_SIZE_PRECISION_QUANTITY"
  return type === "MARKET" || isCount(price) ? undefined : "INVALID_TICK_SIZE_PRECISION_PRICE"
}

export const refusal = (market: Market, prices: Priced, proposal: Proposal): OrderRefusal | undefined => {
  const { account, finding, isMarket, isNew, mayRest, reduceOnly } = proposal
  const outside = isMarket ? undefined : range(prices, proposal)
  if (outside !== undefined) return outside
  if (!reduceOnly && isBelowMinimum(market.instrument, prices, proposal)) return "REJECTED_LESS_THAN_MIN_NOTIONAL"
  if (isNew && mayRest && account.openOrders >= market.settings.maxOpenOrders) return "REJECTED_TOO_MANY_OPEN_ORDERS"
  if (finding === "REJECTED_TOO_MANY_OPEN_ORDERS") return finding
  if (reduceOnly && reducible(proposal) <= 0) return "REJECTED"
  return limits(market, prices, proposal) ?? finding ?? undefined
}

/**
 * Lots a reduce-only order may have. One that may rest leaves room for those that rest already; one that trades at
 * once may take the whole position, since the resting ones are cut as it shrinks.
 */
export const reducible = ({ account, isSell, mayRest, replaced }: Proposal): number => {
  const against = isSell ? account.position.quantity : -account.position.quantity
  return mayRest ? against - (account.reducing - replaced) : against
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value < 0x7fffffff
}

function range(prices: Priced, { isSell, price }: Proposal): OrderRefusal | undefined {
  if (price < prices.minPrice) return "PRICE_LESS_THAN_MIN_PRICE"
  if (price > prices.maxPrice) return "PRICE_GREATER_THAN_MAX_PRICE"
  if (isSell) return price < prices.lower ? "PRICE_LESS_THAN_MIN_PRICE" : undefined
  return price > prices.upper ? "PRICE_GREATER_THAN_MAX_PRICE" : undefined
}

function isBelowMinimum(instrument: Instrument, prices: Priced, { isMarket, price, quantity }: Proposal): boolean {
  return isMarket
    ? compare(instrument, prices.mark, quantity, minimumNotional) < 0
    : notional(instrument, price, quantity) < minimumNotional
}

/** An order that only reduces is free of both limits, also where the position stands above them. */
function limits(market: Market, prices: Priced, proposal: Proposal): OrderRefusal | undefined {
  const { account, isMarket, isSell, maxNotional, price, quantity, reduceOnly, replaced } = proposal
  const { instrument, participants } = market
  const against = isSell ? account.position.quantity : -account.position.quantity
  const beside = (isSell ? account.selling : account.buying) - replaced
  if (reduceOnly || quantity + beside <= against) return undefined
  const { user } = account
  const lots = user.held + (isSell ? user.selling : user.buying) - replaced + quantity
  const value = isSell || isMarket ? prices.mark : Math.max(prices.mark, price * instrument.tick)
  if (compare(instrument, value, lots, share(maxNotional, prices)) > 0) return "REJECTED_WOULD_BREACH_MAX_NOTIONAL"
  const cap = share(openInterestLimits * positionLimitUsd(instrument) * moneyScale, prices)
  return compare(instrument, prices.mark, participants.totals.openInterest + quantity, cap) > 0
    ? "REJECTED_OPEN_INTEREST_LIMIT"
    : undefined
}

/** In money: 10 USD. */
const minimumNotional = 10 * moneyScale

/** Open interest of a symbol may reach this many position limits. */
const openInterestLimits = 10

/** Rounded down; whole ten-thousandths and the rest apart, so that no product passes 2^53. */
function share(money: number, { limitShareBps }: Priced): number {
  if (limitShareBps === 10_000) return money
  const whole = Math.floor(money / 10_000)
  return whole * limitShareBps + Math.floor((money - whole * 10_000) * limitShareBps / 10_000)
}

/**
 * The sign of what lots at a price in 1e-8 USD are worth, less this money. The product passes 2^53, so it is taken
 * exactly only where the floating one is too close to tell.
 */
function compare(instrument: Instrument, price: number, lots: number, money: number): number {
  const nearly = price * lots * (instrument.lot / unitsPerMoney) - money
  if (Math.abs(nearly) > money * tolerance) return nearly
  return Number(BigInt(price) * BigInt(lots) * BigInt(instrument.lot) - BigInt(money) * BigInt(unitsPerMoney))
}

/** 1e-8 USD times 1e-8 of a unit, in one 1e-6 USD. */
const unitsPerMoney = unitScale * unitScale / moneyScale
const tolerance = 1e-12
