/** Tests of the venue's open interest per window, over listed and delisted markets. */
import { Feed } from "@venue/cluster/feed/Feed"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { TradingState } from "@venue/domain/TradingState"
import * as Prices from "@venue/storage/history/Prices"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { priced } from "../../storage/history/ChartEvents.ts"
import { layerOver, RestClient } from "./RestClient.ts"
import { layerMemory } from "@venue/testing/TestVenue"

const gold = MarketSymbol.make("GOLD-USD")
const day = 86_400_000
const began = Date.UTC(2020, 0, 1)

/** Feed of the test's venue in which GOLD-USD is delisted. */
const delisted = Layer.effectContext(
  Effect.gen(function* () {
    const context = yield* Effect.context<Feed>()
    const feed = Context.get(context, Feed)
    const tradingStates = new Map<MarketSymbol, TradingState>([[gold, "DELISTED"]])
    return Context.make(Feed, Feed.of({ ...feed, tradingStates }))
  })
)

it.live(
  "sums the open interest at the mark price over all markets, and includes a delisted market until its last price",
  () =>
    Effect.gen(function* () {
      const { get } = yield* RestClient
      const { position, project } = yield* ReadTables
      const price = Effect.fnUntraced(function* (symbol: MarketSymbol, ...events: Array<ReturnType<typeof priced>>) {
        const seq = (yield* position(Prices.projection, symbol)) + 1
        yield* project([Prices.projection], symbol, [{ seq, events }])
      })
      // Each mark is 1e-8 above the given price, so the open interest is 7 AUD-USD at 1.5 and 2,000 lots of 0.001
      // GOLD-USD at 3,400.
      yield* price(MarketSymbol.make("AUD-USD"), priced(began, 149_999_999, 0, 7))
      yield* price(
        gold,
        priced(began, 339_999_999_999, 0, 2_000),
        priced(began + day + 60_000, 339_999_999_999, 0, 2_000)
      )
      const range = `fromISO=${new Date(began).toISOString()}&toISO=${new Date(began + 3 * day).toISOString()}`
      const { body } = yield* get(`/defillama/metrics?${range}&intervalMinutes=1440`)
      expect(
        body.data.map(({ openInterestAtEndUSD, windowStart }: Record<string, unknown>) => [
          windowStart,
          openInterestAtEndUSD
        ])
      ).toEqual([
        ["2020-01-01T00:00:00Z", 6_810.5],
        ["2020-01-02T00:00:00Z", 10.5],
        ["2020-01-03T00:00:00Z", 10.5]
      ])
    }).pipe(Effect.provide(layerOver.pipe(Layer.provide(delisted), Layer.provideMerge(layerMemory))))
)
