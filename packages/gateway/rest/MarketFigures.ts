/** What REST tells of markets is what the streams tell of them. */
import type { Problems, ServiceUnavailable } from "@venue/api/Problem"
import type { MarketNow } from "@venue/api/rest/SymbolMetrics"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Effect, Schedule } from "effect"
import { Figures } from "../marketData/Figures.ts"

/** Of each market that has a price. Waits a bounded time until all of it is known, then says so. */
export type MarketsNow = Effect.Effect<ReadonlyArray<MarketNow>, ServiceUnavailable>

export const make = Effect.fnUntraced(function* (refusals: Problems) {
  const { day, of } = yield* Figures
  const { instruments } = yield* VenueSettings
  const listed = [...instruments.values()]
  const now = Effect.sync(() =>
    listed.flatMap((instrument) => {
      const figures = of(instrument.symbol)
      return figures === undefined ? [] : [{ instrument, figures, day: day(instrument.symbol) }]
    })
  )
  return now.pipe(
    Effect.repeat({
      schedule: Schedule.spaced("20 millis"),
      until: (markets) => markets.every(({ day }) => day !== undefined)
    }),
    Effect.timeout(patience),
    Effect.mapBoth({
      onFailure: () => refusals.draining(),
      onSuccess: (markets) =>
        markets.map(({ day, figures, instrument }): MarketNow => ({
          instrument,
          oracleE8: figures.prices.oracleE8,
          markE8: figures.prices.markE8,
          openInterestLots: figures.openInterestLots,
          rateE12: figures.rateE12,
          notional: day!.volume.notional,
          changePercent: day!.changePercent,
          lastTicks: day!.lastTicks
        }))
    })
  ) satisfies MarketsNow as MarketsNow
})

/** Of a reader, at the start of a gateway. */
const patience = "2 seconds"
