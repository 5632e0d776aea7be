/** Current figures of all markets for REST, the same as those of the streams. */
import type { Problems, ServiceUnavailable } from "@venue/api/Problem"
import type { MarketNow } from "@venue/api/rest/SymbolMetrics"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Effect, Schedule, identity } from "effect"
import { Figures } from "../marketData/Figures.ts"

/** Figures for each market that has a price. Waits up to 2 s until the figures are complete, then fails with 503. */
export type MarketsNow = Effect.Effect<ReadonlyArray<MarketNow>, ServiceUnavailable>

export const make = Effect.fnUntraced(function* (refusals: Problems) {
  const { day, of } = yield* Figures
  const { instruments } = yield* VenueSettings
  const known = (): ReadonlyArray<MarketNow> | undefined => {
    const markets: Array<MarketNow> = []
    for (const instrument of instruments.values()) {
      const figures = of(instrument.symbol)
      if (figures === undefined) continue
      const today = day(instrument.symbol)
      if (today === undefined) return undefined
      const { openInterestLots, prices, rateE12 } = figures
      const { changePercent, lastTicks, volume } = today
      const { markE8, oracleE8 } = prices
      const { lots: volumeLots, notional } = volume
      markets.push({
        instrument,
        oracleE8,
        markE8,
        openInterestLots,
        rateE12,
        volumeLots,
        notional,
        changePercent,
        lastTicks
      })
    }
    return markets
  }
  const marketsNow = Effect.suspend(() => {
    const markets = known()
    return markets === undefined ? Effect.fail(refusals.draining()) : Effect.succeed(markets)
  })
  return identity<MarketsNow>(Effect.retry(marketsNow, { schedule: Schedule.spaced("20 millis"), times: 100 }))
})
