/** Hears every source of prices and tells each market the median of its own: one for the whole venue, without state. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { median } from "@venue/domain/Oracle"
import { type Print, PriceSources, type PriceSource } from "@venue/providers/prices/PriceSource"
import { Clock, Effect, type Layer, Schedule } from "effect"
import { Singleton, type Sharding } from "effect/cluster"
import { MarketClient } from "../clients/MarketClient.ts"
import { Feed } from "../feed/Feed.ts"
import * as Beat from "../protocol/Beat.ts"
import { VenueSettings } from "../VenueSettings.ts"

const run = Effect.gen(function* () {
  const sources = yield* PriceSources
  if (sources.length === 0) return
  const feed = yield* Feed
  const { instruments } = yield* VenueSettings
  // A source may go on from the price in force.
  const areHeard = () => [...instruments.keys()].every((symbol) => feed.head(symbol) !== undefined)
  yield* Effect.repeat(Effect.void, { until: areHeard, schedule: Schedule.spaced("20 millis") })
  const heard = yield* listen
  yield* Effect.forEach(
    sources,
    (source) =>
      source.run({ inForce: (symbol) => feed.prices.get(symbol), tell: heard(source) }).pipe(
        // A fault of ours: the others are heard on.
        Effect.tapDefect((defect) => Effect.logError(`price source ${source.name} is not heard`, defect)),
        Effect.sandbox,
        Effect.retry(Schedule.spaced("5 seconds")),
        Effect.orDie
      ),
    { concurrency: "unbounded", discard: true }
  )
})

export const layer: Layer.Layer<never, never, Sharding.Sharding | MarketClient | Feed> = Singleton.make(
  "PriceFeed",
  run
)

interface Quote {
  readonly priceE8: number
  readonly atMillis: number
}

/** Gathers what the sources say, and tells the markets that it is about a few times a second. */
const listen = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const { instruments } = yield* VenueSettings
  const markets = yield* MarketClient
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  /** For each symbol what each source said of it last. */
  const quotes = new Map<MarketSymbol, Map<PriceSource, Quote>>(
    [...instruments.keys()].map((symbol) => [symbol, new Map()])
  )
  const changed = new Set<MarketSymbol>()
  const sending = new Set<MarketSymbol>()

  const tell = (symbol: MarketSymbol) => {
    const since = clock.currentTimeMillisUnsafe() - maxAgeMillis
    const recent = [...quotes.get(symbol)!.values()].filter(({ atMillis }) => atMillis >= since)
    const priceE8 = median(recent.map((quote) => quote.priceE8))
    if (priceE8 === undefined) return
    sending.add(symbol)
    const done = Effect.sync(() => sending.delete(symbol))
    // A market that does not answer holds up no other, and hears the next price.
    fork(Effect.ensuring(Effect.ignore(markets.observe(symbol, priceE8, "external")), done))
  }
  const beat = yield* Beat.make(
    everyMillis,
    Effect.sync(() => {
      for (const symbol of changed) {
        if (sending.has(symbol)) continue
        changed.delete(symbol)
        tell(symbol)
      }
      return changed.size > 0
    })
  )
  return (source: PriceSource) => {
    const symbolsOf = Map.groupBy(source.symbols.keys(), (symbol) => source.symbols.get(symbol)!.spot)
    return ({ contract, priceE8 }: Print) => {
      for (const symbol of symbolsOf.get(contract) ?? []) {
        quotes.get(symbol)?.set(source, { priceE8, atMillis: clock.currentTimeMillisUnsafe() })
        if (quotes.has(symbol)) changed.add(symbol)
      }
      beat.start()
    }
  }
})

/** A price moves a market within this. */
const everyMillis = 200
/** What a source said longer ago no longer counts: it has fallen silent beside others that speak. */
const maxAgeMillis = 10_000
