/** Outside price and time become the mark, the bands, the day's bounds and the share of the limits in force. */
import * as Mark from "@venue/domain/Mark"
import type { Priced } from "@venue/domain/Market"
import { limitShareBps, period } from "@venue/domain/MarketHours"
import * as PriceBand from "@venue/domain/PriceBand"
import * as Ladder from "./Ladder.ts"
import type { Events, Market } from "./Market.ts"

/** An event is recorded only when something differs, so that a quiet market writes nothing. */
export const observe = (market: Market, oracleE8: number, atMillis: number, events: Events): void => {
  if (!Number.isSafeInteger(oracleE8) || oracleE8 <= 0) return
  const priced = pricedAt(market, oracleE8, atMillis)
  if (market.prices !== undefined && isSame(market.prices, priced)) return
  market.timeMillis = atMillis
  market.prices = priced
  events.push(priced)
}

export const tick = (market: Market, atMillis: number, events: Events): void => {
  if (market.prices !== undefined) observe(market, market.prices.oracleE8, atMillis, events)
}

/** Says whether time alone changes nothing any more, until the next period or day begins. */
export const isIdle = (market: Market, atMillis: number): boolean => {
  const { prices } = market
  if (prices === undefined) return true
  // No step of the average is longer, so a price that this one leaves as it is will not move.
  const longestMillis = Math.max(atMillis, prices.atMillis + Mark.longestStepMillis)
  return isSame(prices, pricedAt(market, prices.oracleE8, longestMillis))
}

function pricedAt(market: Market, oracleE8: number, atMillis: number): Priced {
  const { instrument, prices } = market
  const touch = touchOf(market)
  const midE8 = Mark.mid(touch)
  const premiumE8 =
    prices === undefined || midE8 === undefined
      ? (prices?.premiumE8 ?? 0)
      : Mark.premiumAfter(prices.premiumE8, midE8 - oracleE8, atMillis - prices.atMillis)
  const markE8 = Mark.mark(oracleE8, premiumE8, touch)
  const during = period(instrument, atMillis)
  const band = PriceBand.band(instrument, during, markE8)
  const bounds = boundsAt(market, oracleE8, atMillis)
  return {
    _tag: "Priced",
    oracleE8,
    markE8,
    premiumE8,
    lowerTicks: band.lowerTicks,
    upperTicks: band.upperTicks,
    minPriceTicks: bounds.lowerTicks,
    maxPriceTicks: bounds.upperTicks,
    limitShareBps: limitShareBps(during),
    atMillis
  }
}

const dayMillis = 86_400_000

/** The reference is the outside price in force at 00:00 UTC: on a new day the last one of the day before. */
function boundsAt({ instrument, prices }: Market, oracleE8: number, atMillis: number): PriceBand.PriceRange {
  if (prices === undefined) return PriceBand.bounds(instrument, oracleE8)
  const isNewDay = Math.floor(atMillis / dayMillis) > Math.floor(prices.atMillis / dayMillis)
  return isNewDay
    ? PriceBand.bounds(instrument, prices.oracleE8)
    : { lowerTicks: prices.minPriceTicks, upperTicks: prices.maxPriceTicks }
}

function touchOf({ asks, bids, instrument, lastPriceTicks }: Market): Mark.Touch {
  return {
    bidE8: bids.best === 0 ? undefined : bids.best * instrument.tickE8,
    askE8: asks.best === Ladder.beyond ? undefined : asks.best * instrument.tickE8,
    lastE8: lastPriceTicks === 0 ? undefined : lastPriceTicks * instrument.tickE8
  }
}

function isSame(a: Priced, b: Priced): boolean {
  return (
    a.oracleE8 === b.oracleE8 &&
    a.markE8 === b.markE8 &&
    a.premiumE8 === b.premiumE8 &&
    a.lowerTicks === b.lowerTicks &&
    a.upperTicks === b.upperTicks &&
    a.minPriceTicks === b.minPriceTicks &&
    a.maxPriceTicks === b.maxPriceTicks &&
    a.limitShareBps === b.limitShareBps
  )
}
