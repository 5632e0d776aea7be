/** Derives mark price, price bands, daily bounds and limit share from the index price, the book and the time. */
import { dayOf } from "@venue/domain/Day"
import * as Mark from "@venue/domain/Mark"
import type { Observe, Priced } from "@venue/domain/Market"
import { isLive, limitShareBps, period } from "@venue/domain/MarketHours"
import * as Oracle from "@venue/domain/Oracle"
import * as PriceBand from "@venue/domain/PriceBand"
import { isOver } from "@venue/domain/TradingState"
import * as Alarms from "./Alarms.ts"
import * as Ladder from "../book/Ladder.ts"
import { type Events, type Market, stopMarkE8 } from "../Market.ts"
import * as Stops from "../stops/Stops.ts"
import { sample } from "../lifecycle/TradingState.ts"

/** The last reported index price. */
type Report = Pick<Priced, "source" | "toldE8" | "toldAtMillis" | "rejections" | "paused">

/**
 * Processes a reported price. Reports from price sources are ignored while the sources are paused or outside market
 * hours, and rejected if they are far from the last price (rule 3.1). An unchanged price is recorded once per second,
 * so that its age is known.
 */
export const observe = (
  market: Market,
  { priceE8, quotedAtMillis, teller }: Observe,
  atMillis: number,
  events: Events
): void => {
  const { instrument, participants, prices } = market
  const mostE8 = Oracle.highestTradableE8(instrument, participants.totals.openInterest)
  if (!Number.isSafeInteger(priceE8) || priceE8 <= 0 || priceE8 > mostE8) return
  // A price's age counts from its quote time. A quote time in the future is replaced by the current time (rule 3.11).
  const toldAtMillis = Math.min(atMillis, quotedAtMillis ?? atMillis)
  const report: Report = { source: teller, toldE8: priceE8, toldAtMillis, rejections: 0, paused: false }
  if (prices === undefined) return record(market, pricedAt(market, report, atMillis), 0, events)
  if (teller === "operator")
    return record(market, pricedAt(market, { ...report, paused: prices.paused }, atMillis), refreshMillis, events)
  if (prices.paused || !isLive(instrument, atMillis)) return
  const { lowerE8, upperE8 } = Oracle.believable(prices.toldE8)
  if (priceE8 >= lowerE8 && priceE8 <= upperE8)
    return record(market, pricedAt(market, report, atMillis), refreshMillis, events)
  const rejections = Math.min(prices.rejections + 1, Oracle.alarmingRejections)
  record(market, pricedAt(market, { ...prices, rejections }, atMillis), Infinity, events)
}

/** Pauses or resumes the market's price sources. Has no effect before the market's first price. */
export const pause = (market: Market, paused: boolean, atMillis: number, events: Events): void => {
  const { prices } = market
  if (prices !== undefined) record(market, pricedAt(market, { ...prices, paused }, atMillis), Infinity, events)
}

export const tick = (market: Market, atMillis: number, events: Events): void => {
  if (market.prices !== undefined) record(market, pricedAt(market, market.prices, atMillis), Infinity, events)
}

/** Fixes the final price of the contract; later reports are ignored. */
export const fix = (market: Market, priceE8: number, atMillis: number, events: Events): void => {
  const report: Report = { source: "operator", toldE8: priceE8, toldAtMillis: atMillis, rejections: 0, paused: true }
  take(market, { ...pricedAt(market, report, atMillis), markE8: priceE8, freshMarkE8: priceE8, premiumE8: 0 }, events)
}

/** Treats the current price as reported by the operator, until the next report. */
export const retell = (market: Market, atMillis: number, events: Events): void => {
  const { oracleE8, paused } = market.prices!
  const report: Report = { source: "operator", toldE8: oracleE8, toldAtMillis: atMillis, rejections: 0, paused }
  take(market, pricedAt(market, report, atMillis), events)
}

/** Returns true if the passage of time changes no price before the next trading period or day. */
export const isIdle = (market: Market, atMillis: number): boolean => {
  const { prices } = market
  if (prices === undefined) return true
  // An external price turns stale unless it is reported again.
  if (prices.source === "external") return false
  // No averaging step is longer, so a price that stays unchanged over this step also stays unchanged afterwards.
  const longestMillis = Math.max(atMillis, prices.atMillis + Mark.longestStepMillis)
  return isSame(prices, pricedAt(market, prices, longestMillis))
}

/** Returns true if the current price is fresh enough to open positions at that time (I29). */
export const isFresh = ({ instrument }: Market, prices: Priced, atMillis: number): boolean =>
  Oracle.isFresh(instrument, prices, atMillis)

/**
 * Records an event only if a member has changed, or if the price was reported at least `laterMillis` after the last
 * record, so that a quiet market writes nothing.
 */
function record(market: Market, priced: Priced, laterMillis: number, events: Events): void {
  const { prices, tradingState } = market
  const isRecorded =
    prices !== undefined && isSame(prices, priced) && priced.toldAtMillis - prices.toldAtMillis < laterMillis
  if (isRecorded || isOver(tradingState)) return
  take(market, priced, events)
}

function take(market: Market, priced: Priced, events: Events): void {
  apply(market, priced)
  events.push(priced)
}

export const apply = (market: Market, priced: Priced): void => {
  market.timeMillis = priced.atMillis
  sample(market, priced.atMillis)
  market.prices = priced
  Alarms.priced(market.since, priced)
  Stops.reach(market.stops, stopMarkE8(market))
}

function pricedAt(market: Market, report: Report, atMillis: number): Priced {
  const { asks, bids, instrument, participants, prices } = market
  const { paused, rejections, toldAtMillis, toldE8 } = report
  const touch = touchOf(market)
  const midE8 = Mark.mid(touch)
  const source = Oracle.sourceAt(instrument, report, atMillis)
  const oracleE8 = source === "internal" || source === "stale" ? drifted(market, toldE8, midE8, atMillis) : toldE8
  const premiumE8 =
    prices === undefined || midE8 === undefined
      ? (prices?.premiumE8 ?? 0)
      : Mark.premiumAfter(prices.premiumE8, midE8 - oracleE8, atMillis - prices.atMillis)
  const isFair = source !== "stale" && market.tradingState === "TRADING"
  const markE8 = Mark.mark(oracleE8, premiumE8, touch)
  const during = period(instrument, atMillis)
  const band = PriceBand.band(instrument, during, markE8)
  const bounds = boundsAt(market, source, oracleE8, atMillis)
  return {
    _tag: "Priced",
    source,
    oracleE8,
    toldE8,
    toldAtMillis,
    rejections,
    paused,
    markE8,
    freshMarkE8: isFair ? markE8 : (prices?.freshMarkE8 ?? markE8),
    premiumE8,
    lowerTicks: band.lowerTicks,
    upperTicks: band.upperTicks,
    minPriceTicks: bounds.lowerTicks,
    maxPriceTicks: bounds.upperTicks,
    limitShareBps: limitShareBps(during),
    bidTicks: bids.best,
    askTicks: asks.best === Ladder.beyond ? 0 : asks.best,
    openInterestLots: participants.totals.openInterest,
    atMillis
  }
}

/** A gap without records counts as at most one averaging step, because the price did not move in the gap. */
function drifted({ instrument, prices }: Market, toldE8: number, midE8: number | undefined, atMillis: number): number {
  if (prices === undefined) return toldE8
  if (midE8 === undefined) return prices.oracleE8
  const elapsedMillis = Math.min(atMillis - prices.atMillis, Mark.longestStepMillis)
  const { tickE8 } = instrument
  const band = { lowerE8: prices.lowerTicks * tickE8, upperE8: prices.upperTicks * tickE8 }
  const reach = Oracle.reach(toldE8, instrument.maxLeverage)
  return Oracle.drifted(prices.oracleE8, midE8, elapsedMillis, band, reach)
}

/** Interval at which an unchanged, repeated price is recorded. */
const refreshMillis = 1_000

/**
 * Returns the daily bounds around the index price at 00:00 UTC. On a new day, this is the previous day's last price.
 * A reported price outside the bounds becomes the new reference, because otherwise nobody could trade at that price
 * (rule 1.6).
 */
function boundsAt(
  { instrument, prices }: Market,
  source: Priced["source"],
  oracleE8: number,
  atMillis: number
): PriceBand.PriceRange {
  if (prices === undefined) return PriceBand.bounds(instrument, oracleE8)
  const isNewDay = dayOf(atMillis) > dayOf(prices.atMillis)
  const bounds = isNewDay
    ? PriceBand.bounds(instrument, prices.oracleE8)
    : { lowerTicks: prices.minPriceTicks, upperTicks: prices.maxPriceTicks }
  const ticks = oracleE8 / instrument.tickE8
  const isOutside = ticks < bounds.lowerTicks || ticks > bounds.upperTicks
  const isExternal = source === "operator" || source === "external"
  return isExternal && isOutside ? PriceBand.bounds(instrument, oracleE8) : bounds
}

function touchOf({ asks, bids, instrument, lastPriceTicks }: Market): Mark.Touch {
  return {
    bidE8: bids.best === 0 ? undefined : bids.best * instrument.tickE8,
    askE8: asks.best === Ladder.beyond ? undefined : asks.best * instrument.tickE8,
    lastE8: lastPriceTicks === 0 ? undefined : lastPriceTicks * instrument.tickE8
  }
}

/**
 * Compares two price states without their times. Includes the open interest: a trade can change it without moving a
 * price, and readers receive it only through this event.
 */
function isSame(a: Priced, b: Priced): boolean {
  return (
    a.source === b.source &&
    a.oracleE8 === b.oracleE8 &&
    a.toldE8 === b.toldE8 &&
    a.rejections === b.rejections &&
    a.paused === b.paused &&
    a.markE8 === b.markE8 &&
    a.freshMarkE8 === b.freshMarkE8 &&
    a.premiumE8 === b.premiumE8 &&
    a.lowerTicks === b.lowerTicks &&
    a.upperTicks === b.upperTicks &&
    a.minPriceTicks === b.minPriceTicks &&
    a.maxPriceTicks === b.maxPriceTicks &&
    a.limitShareBps === b.limitShareBps &&
    a.bidTicks === b.bidTicks &&
    a.askTicks === b.askTicks &&
    a.openInterestLots === b.openInterestLots
  )
}
