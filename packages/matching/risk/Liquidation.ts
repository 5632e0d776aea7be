/** A part of a position is offered on the book, to bring its account back above the maintenance margin (rule 9.8). */
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

/** The account's orders end either way; where the position is another by now, or its price, nothing else happens. */
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
  // It never rests, so that it needs no rate of a maker.
  const accepted = { commandId, expiresAtMillis, order, makerRate: 0, leverage, atMillis: market.timeMillis }
  events.push({ _tag: "Accepted", ...accepted })
  const before = events.length
  const taker = { order, account, limitTicks: priceTicks, rate: takerRate, leverage, remainingLots: quantityLots }
  Match.cross(market, taker, events)
  for (const event of events.slice(before)) if (event._tag === "Traded") count(market, event.notional)
  const left = Match.left(market, taker, events)
  if (left !== undefined) Match.lapse(market, left, events)
}

/** Says whether what the desk decided still holds: the position is the same, and the price may be traded on (I29). */
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
 * Says whether the mark has stayed or gone on against the position: where marks come faster than decisions, none would be
 * done otherwise.
 */
function isStillDue(markE8: number, decidedE8: number, isLong: boolean): boolean {
  const move = moveSince(markE8, decidedE8, isLong)
  return move === "NEAR" && (isLong ? markE8 <= decidedE8 : markE8 >= decidedE8)
}

/**
 * Says where the mark has gone since a decision about a position. What it has gone on against it is no more than a provider
 * is paid, who takes over at the mark of the decision, for as long as it is near.
 */
export const moveSince = (markE8: number, decidedE8: number, isLong: boolean): "RECOVERED" | "NEAR" | "GONE_ON" => {
  const against = isLong ? decidedE8 - markE8 : markE8 - decidedE8
  if (Math.abs(against) <= mulDivDown(decidedE8, providerRate, rateScale)) return "NEAR"
  return against < 0 ? "RECOVERED" : "GONE_ON"
}

/** A liquidation has traded so much on the book now. */
export const count = (market: Market, notional: number): void => {
  market.liquidated = { notional: counted(market) + notional, atMillis: market.timeMillis }
}

/** Gives what still counts of what liquidations have traded, as an average over a minute does. */
function counted({ liquidated, timeMillis }: Market): number {
  return ExponentialAverage.step(liquidated.notional, 0, timeMillis - liquidated.atMillis, windowMillis)
}

/** So that liquidations do not empty the book, they trade on it a tenth of the position limit in a minute or so; a lot at least. */
function roomFor(market: Market, prices: Priced, priceTicks: number): number {
  const { instrument } = market
  const tenth = share((positionLimitUsd(instrument) * moneyScale) / 10, prices)
  const room = Math.max(tenth, least) - counted(market)
  return Math.max(1, Math.floor(room / notional(instrument, priceTicks, 1)))
}

const windowMillis = 60_000
/** This is 100,000 USD in money. */
const least = 100_000 * moneyScale
