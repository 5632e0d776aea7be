/** Outside price and time become the mark, the bands, the day's bounds and the share of the limits in force. */
import * as Mark from "@venue/domain/Mark"
import type { Priced } from "@venue/domain/Market"
import { limitShareBps, period } from "@venue/domain/MarketHours"
import * as PriceBand from "@venue/domain/PriceBand"
import * as Ladder from "./Ladder.ts"
import type { Events, Market } from "./Market.ts"

/** An event is recorded only when something differs, so that a quiet market writes nothing. */
export const observe = (market: Market, oracle: number, atMillis: number, events: Events): void => {
  if (!Number.isSafeInteger(oracle) || oracle <= 0) return
  const priced = pricedAt(market, oracle, atMillis)
  if (market.prices !== undefined && isSame(market.prices, priced)) return
  market.timeMillis = atMillis
  market.prices = priced
  events.push(priced)
}

export const tick = (market: Market, atMillis: number, events: Events): void => {
  if (market.prices !== undefined) observe(market, market.prices.oracle, atMillis, events)
}

/** Says whether time alone changes nothing any more, until the next period or day begins. */
export const isIdle = (market: Market, atMillis: number): boolean => {
  const { prices } = market
  if (prices === undefined) return true
  // No step of the average is longer, so a price that this one leaves as it is will not move.
  const longestMillis = Math.max(atMillis, prices.atMillis + Mark.longestStepMillis)
  return isSame(prices, pricedAt(market, prices.oracle, longestMillis))
}

function pricedAt(market: Market, oracle: number, atMillis: number): Priced {
  const { instrument, prices } = market
  const touch = touchOf(market)
  const mid = Mark.mid(touch)
  const premium =
    prices === undefined || mid === undefined
      ? (prices?.premium ?? 0)
      : Mark.premiumAfter(prices.premium, mid - oracle, atMillis - prices.atMillis)
  const mark = Mark.mark(oracle, premium, touch)
  const during = period(instrument, atMillis)
  const band = PriceBand.band(instrument, during, mark)
  const bounds = boundsAt(market, oracle, atMillis)
  return {
    _tag: "Priced",
    oracle,
    mark,
    premium,
    lower: band.lower,
    upper: band.upper,
    minPrice: bounds.lower,
    maxPrice: bounds.upper,
    limitShareBps: limitShareBps(during),
    atMillis
  }
}

const dayMillis = 86_400_000

/** The reference is the outside price in force at 00:00 UTC: on a new day the last one of the day before. */
function boundsAt({ instrument, prices }: Market, oracle: number, atMillis: number): PriceBand.PriceRange {
  if (prices === undefined) return PriceBand.bounds(instrument, oracle)
  const isNewDay = Math.floor(atMillis / dayMillis) > Math.floor(prices.atMillis / dayMillis)
  return isNewDay ? PriceBand.bounds(instrument, prices.oracle) : { lower: prices.minPrice, upper: prices.maxPrice }
}

function touchOf({ asks, bids, instrument, lastPrice }: Market): Mark.Touch {
  return {
    bid: bids.best === 0 ? undefined : bids.best * instrument.tick,
    ask: asks.best === Ladder.beyond ? undefined : asks.best * instrument.tick,
    last: lastPrice === 0 ? undefined : lastPrice * instrument.tick
  }
}

function isSame(a: Priced, b: Priced): boolean {
  return (
    a.oracle === b.oracle &&
    a.mark === b.mark &&
    a.premium === b.premium &&
    a.lower === b.lower &&
    a.upper === b.upper &&
    a.minPrice === b.minPrice &&
    a.maxPrice === b.maxPrice &&
    a.limitShareBps === b.limitShareBps
  )
}
