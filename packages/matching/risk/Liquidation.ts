/** Liquidation on the book: offers part of a position to lift the account above the maintenance margin (rule 9.8). */
import { moneyScale, mulDivDown, rateScale } from "@venue/domain/Decimal"
import * as ExponentialAverage from "@venue/domain/ExponentialAverage"
import { largestOrder, notional } from "@venue/domain/Instrument"
import { positionLimitUsd } from "@venue/domain/Leverage"
import { type DecidedOn, type Liquidate, providerRate } from "@venue/domain/Liquidation"
import type { Priced } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import * as Position from "@venue/domain/Position"
import { endAll } from "../orders/Cancel.ts"
import { isCount, share } from "../orders/Checks.ts"
import type { Events, Market } from "../Market.ts"
import * as Match from "../orders/Match.ts"
import { done, remember } from "../orders/Outcome.ts"
import type { Account } from "../state/Participants.ts"
import { isFresh } from "../prices/Pricing.ts"

/** Ends the account's orders, then liquidates if the position and the price still match the desk's decision. */
export const liquidate = (market: Market, account: Account, command: Liquidate, events: Events): void => {
  const { commandId, decidedOn, expiresAtMillis, leverage, priceTicks, takerRate } = command
  endAll(market, account, commandId, events)
  const { prices } = market
  const isLong = account.position.quantityLots > 0
  const wanted = Math.min(command.quantityLots, Math.abs(account.position.quantityLots), largestOrder)
  if (prices === undefined || !isAsDecided(market, account, decidedOn) || !isCount(wanted) || !isCount(priceTicks))
    return done(market, command, account.user, events)
  const quantityLots = Math.min(wanted, roomFor(market, prices, priceTicks))
  const order: Order = {
    orderId: orderIdFrom(commandId),
    userId: command.userId,
    accountId: command.accountId,
    side: isLong ? "SELL" : "BUY",
    type: "LIMIT",
    timeInForce: "IOC",
    priceTicks,
    quantityLots,
    remainingLots: quantityLots,
    reduceOnly: true,
    clientOrderId: "",
    origin: "LIQUIDATION",
    builderCode: "",
    modified: false,
    updatedAtMillis: market.timeMillis
  }
  remember(market, commandId, expiresAtMillis, account.user, "DONE")
  // The order never rests, so it needs no maker rate.
  const accepted = { commandId, expiresAtMillis, order, makerRate: 0, leverage, atMillis: market.timeMillis }
  events.push({ _tag: "Accepted", ...accepted })
  const before = events.length
  const taker = { order, account, limitTicks: priceTicks, rate: takerRate, leverage, remainingLots: quantityLots }
  Match.cross(market, taker, events)
  for (const event of events.slice(before)) if (event._tag === "Traded") count(market, event.notional)
  const left = Match.left(market, taker, events)
  if (left !== undefined) Match.lapse(market, left, events)
}

/**
 * Returns true if the desk's decision still applies: the position is unchanged, the mark has not moved in favour of
 * the position, and the price is fresh (I29).
 */
export const isAsDecided = (market: Market, { isFrozen, position }: Account, decidedOn: DecidedOn): boolean => {
  const { prices } = market
  return (
    !isFrozen &&
    position.quantityLots !== 0 &&
    prices !== undefined &&
    isStillDue(prices.markE8, decidedOn.markE8, position.quantityLots > 0) &&
    isFresh(market, prices, market.timeMillis) &&
    Position.isSame(position, decidedOn.position)
  )
}

/**
 * Returns true if the mark is unchanged or has moved slightly further against the position. Requiring an unchanged
 * mark would block every decision while marks change faster than desks decide.
 */
function isStillDue(markE8: number, decidedE8: number, isLong: boolean): boolean {
  const move = moveSince(markE8, decidedE8, isLong)
  return move === "NEAR" && (isLong ? markE8 <= decidedE8 : markE8 >= decidedE8)
}

/**
 * Classifies the mark's move since a decision about a position. NEAR is a move of at most a provider's fee, because a
 * provider takes over at the mark of the decision. A larger move is RECOVERED if it favours the position, and GONE_ON
 * if not.
 */
export const moveSince = (markE8: number, decidedE8: number, isLong: boolean): "RECOVERED" | "NEAR" | "GONE_ON" => {
  const against = isLong ? decidedE8 - markE8 : markE8 - decidedE8
  if (Math.abs(against) <= mulDivDown(decidedE8, providerRate, rateScale)) return "NEAR"
  return against < 0 ? "RECOVERED" : "GONE_ON"
}

/** Adds the notional of a liquidation trade on the book. */
export const count = (market: Market, notional: number): void => {
  market.liquidated = { notional: counted(market) + notional, atMillis: market.timeMillis }
}

/** Returns the decayed notional of liquidations, as an average over a minute. */
function counted({ liquidated, timeMillis }: Market): number {
  return ExponentialAverage.step(liquidated.notional, 0, timeMillis - liquidated.atMillis, windowMillis)
}

/**
 * Returns the lots that can still be liquidated on the book. The limit is about a tenth of the position limit per
 * minute and at least one lot, so that liquidations do not empty the book.
 */
function roomFor(market: Market, prices: Priced, priceTicks: number): number {
  const { instrument } = market
  const tenth = share((positionLimitUsd(instrument) * moneyScale) / 10, prices)
  const room = Math.max(tenth, least) - counted(market)
  return Math.max(1, Math.floor(room / notional(instrument, priceTicks, 1)))
}

const windowMillis = 60_000
/** 100,000 USD in 1e-6 USD. */
const least = 100_000 * moneyScale
