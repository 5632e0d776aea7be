/** Hears every source of prices and tells each market the median of its own: one for the whole venue, without state. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Futures from "@venue/domain/Futures"
import { isLive } from "@venue/domain/MarketHours"
import { median } from "@venue/domain/Oracle"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { isOver } from "@venue/domain/TradingState"
import { type Print, PriceSources, type PriceSource } from "@venue/providers/prices/PriceSource"
import * as QuoteTime from "@venue/providers/prices/QuoteTime"
import { Clock, Effect, type Layer, Schedule } from "effect"
import { Singleton, type Sharding } from "effect/cluster"
import { MarketClient } from "../clients/MarketClient.ts"
import { Feed } from "../feed/Feed.ts"
import * as Beat from "../feed/Beat.ts"
import { VenueSettings } from "../VenueSettings.ts"
import * as SourcePrice from "./SourcePrice.ts"
import * as SourceWatch from "./SourceWatch.ts"

const run = Effect.gen(function* () {
  const { leastSources, sources } = yield* PriceSources
  if (sources.length === 0) return
  const feed = yield* Feed
  const { instruments } = yield* VenueSettings
  // A source may go on from the price in force; a market that cannot be heard keeps no other waiting for long.
  const areHeard = () => [...instruments.keys()].every((symbol) => feed.head(symbol) !== undefined)
  yield* Effect.repeat(Effect.void, { until: areHeard, schedule: Schedule.spaced("20 millis") }).pipe(
    Effect.timeoutOption("10 seconds")
  )
  const heard = yield* listen(sources, leastSources)
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

export const layer: Layer.Layer<never, never, Sharding.Sharding | MarketClient | Feed | FuturesReference> =
  Singleton.make("PriceFeed", run)

/** What the sources said last of each contract. */
type Quotes = ReadonlyMap<PriceSource, Map<string, Quote>>
interface Quote {
  readonly priceE8: number
  readonly heardAtMillis: number
  /** The quote's own time, at most ours; the time it was heard where the source names none. */
  readonly quotedAtMillis: number
}

/**
 * Returns the price of a symbol by one source, of what was heard and quoted since then, with the time of the oldest quote that it
 * is made of. A quote that is repeated is as old as its own time says.
 */
const pricesBySource =
  (quotes: Quotes, reference: () => SourcePrice.Reference) =>
  (source: PriceSource, symbol: MarketSymbol, now: number, heardSince: number, quotedSince: number) => {
    let quotedAtMillis = now
    const said = (contract: string) => {
      const quote = quotes.get(source)!.get(contract)
      if (quote === undefined || quote.heardAtMillis < heardSince || quote.quotedAtMillis < quotedSince)
        return undefined
      quotedAtMillis = Math.min(quotedAtMillis, quote.quotedAtMillis)
      return quote.priceE8
    }
    const priceE8 = SourcePrice.of(symbol, source.symbols.get(symbol)!, said, reference(), now)
    return priceE8 === undefined ? undefined : { priceE8, quotedAtMillis }
  }

/** Gathers what the sources say, and tells the markets that it is about a few times a second. */
const listen = Effect.fnUntraced(function* (sources: ReadonlyArray<PriceSource>, leastSources: number) {
  const clock = yield* Clock.Clock
  const feed = yield* Feed
  const { instruments } = yield* VenueSettings
  const markets = yield* MarketClient
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const reference = yield* followReference(sources)
  const quotes: Quotes = new Map(sources.map((source) => [source, new Map()]))
  const changed = new Set<MarketSymbol>()
  const sending = new Set<MarketSymbol>()

  const priceBy = pricesBySource(quotes, reference)
  const currentBy = (source: PriceSource, symbol: MarketSymbol, now: number, afterMillis = 0) =>
    priceBy(source, symbol, now, now - maxAgeMillis, Math.max(now - QuoteTime.goodForMillis, afterMillis))
  const priceOf = (symbol: MarketSymbol) => {
    const now = clock.currentTimeMillisUnsafe()
    const able = sources.filter((source) => source.symbols.has(symbol))
    const inForce = feed.prices.get(symbol)
    // What was said before the operator's word does not replace it.
    const afterMillis = inForce?.source === "operator" ? inForce.toldAtMillis + 1 : 0
    const prices = able.flatMap((source) => currentBy(source, symbol, now, afterMillis) ?? [])
    const least = Math.max(1, Math.min(leastSources, able.length))
    const priceE8 = prices.length < least ? undefined : median(prices.map((price) => price.priceE8))
    if (priceE8 === undefined) return undefined
    // From this time on fewer sources than are needed have a newer quote.
    const newestFirst = prices.map((price) => price.quotedAtMillis).sort((a, b) => b - a)
    return { priceE8, quotedAtMillis: newestFirst[least - 1]! }
  }
  const hasEnded = (symbol: MarketSymbol) => isOver(feed.tradingStates.get(symbol) ?? "TRADING")
  const tell = (symbol: MarketSymbol) => {
    if (hasEnded(symbol)) return
    const price = priceOf(symbol)
    if (price === undefined) return
    sending.add(symbol)
    const done = Effect.sync(() => sending.delete(symbol))
    // A market that does not answer holds up no other, and hears the next price.
    fork(Effect.ensuring(Effect.ignore(markets.observe(symbol, price.priceE8, "external", price.quotedAtMillis)), done))
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
  const isExpected = (symbol: MarketSymbol, now: number) => {
    const instrument = instruments.get(symbol)
    return instrument !== undefined && !hasEnded(symbol) && isLive(instrument, now)
  }
  const isSilent = (source: PriceSource, symbol: MarketSymbol, now: number) =>
    isExpected(symbol, now) && priceBy(source, symbol, now, 0, 0) === undefined
  yield* Effect.forkScoped(Effect.delay(sayWhoIsSilent(sources, isSilent), firstWord))
  const priceNow = (source: PriceSource, symbol: MarketSymbol, now: number) => currentBy(source, symbol, now)?.priceE8
  yield* Effect.forkScoped(SourceWatch.run(sources, isExpected, priceNow))
  return (source: PriceSource) => {
    const symbols = [...source.symbols].filter(([symbol]) => instruments.has(symbol))
    const symbolsOf = new Map<string, Array<MarketSymbol>>()
    for (const [symbol, contracts] of symbols)
      for (const contract of SourcePrice.contractsOf(contracts))
        symbolsOf.set(contract, [...(symbolsOf.get(contract) ?? []), symbol])
    return ({ contract, priceE8, quotedAtMillis }: Print) => {
      const about = symbolsOf.get(contract)
      const now = clock.currentTimeMillisUnsafe()
      if (about === undefined || (quotedAtMillis !== undefined && !QuoteTime.isCurrent(quotedAtMillis, now))) return
      const quote = { priceE8, heardAtMillis: now, quotedAtMillis: Math.min(now, quotedAtMillis ?? now) }
      const before = quotes.get(source)!.get(contract)
      // Servers of one vendor behind one address differ in how far they are.
      if (quotedAtMillis !== undefined && before !== undefined && quote.quotedAtMillis < before.quotedAtMillis) return
      quotes.get(source)!.set(contract, quote)
      for (const symbol of about) changed.add(symbol)
      beat.start()
    }
  }
})

/** A name that its source does not know, or a settlement that nobody recorded, would else show nowhere. */
const sayWhoIsSilent = Effect.fnUntraced(function* (
  sources: ReadonlyArray<PriceSource>,
  isSilent: (source: PriceSource, symbol: MarketSymbol, now: number) => boolean
) {
  const now = yield* Clock.currentTimeMillis
  for (const source of sources) {
    const silent = [...source.symbols.keys()].filter((symbol) => isSilent(source, symbol, now))
    if (silent.length > 0)
      yield* Effect.logWarning(
        `price source ${source.name} has given no price of ${silent.join(", ")} yet; is it asked for them by the right names?`
      )
  }
})

/** Reads what prices made of futures need, again and again; not where none is. */
const followReference = Effect.fnUntraced(function* (sources: ReadonlyArray<PriceSource>) {
  const tables = yield* FuturesReference
  let reference: SourcePrice.Reference = { ratios: new Map(), holidays: new Set() }
  const read = Effect.gen(function* () {
    const ratios = (yield* tables.latest).map(
      ({ officialCloseE8, settlementE8, symbol }) =>
        [symbol, Futures.spotToFutureRatio(officialCloseE8, settlementE8)] as const
    )
    reference = { ratios: new Map(ratios), holidays: new Set(yield* tables.holidays) }
  })
  const isNeeded = sources.some(({ symbols }) => symbols.values().some((contracts) => !("spot" in contracts)))
  if (isNeeded) yield* Effect.forkScoped(Effect.repeat(Effect.ignore(read), Schedule.spaced(referenceAge)))
  return () => reference
})

/** A price moves a market within this. */
const everyMillis = 200
/** What a source said longer ago no longer counts: it has fallen silent beside others that speak. */
const maxAgeMillis = 10_000
/** Who has given no price of a symbol by then is named. */
const firstWord = "1 minute"
/** What an operator records of settlements and holidays counts within this. */
const referenceAge = "10 seconds"
