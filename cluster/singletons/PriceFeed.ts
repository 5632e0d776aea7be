/** Sends each market the median price of its sources. A stateless singleton: one node runs it for the venue. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Futures from "@venue/domain/Futures"
import { isLive } from "@venue/domain/MarketHours"
import { median } from "@venue/domain/Oracle"
import { DeadPriceSources } from "@venue/storage/alarms/DeadPriceSources"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { isOver } from "@venue/domain/TradingState"
import { type Print, PriceSources, type PriceSource, type Sources } from "@venue/providers/prices/PriceSource"
import * as QuoteTime from "@venue/providers/prices/QuoteTime"
import * as Markets from "@venue/telemetry/catalogue/Markets"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Effect, type Layer, Schedule, Stream } from "effect"
import { Singleton, type Sharding } from "effect/cluster"
import { MarketClient } from "../clients/MarketClient.ts"
import { Feed } from "../feed/Feed.ts"
import * as Beat from "../feed/Beat.ts"
import { VenueSettings } from "../VenueSettings.ts"
import * as SourcePrice from "./SourcePrice.ts"
import * as SourceWatch from "./SourceWatch.ts"

/** Restarts with the new sources after each replacement. */
const run = Effect.flatMap(PriceSources, (sources) =>
  sources.pipe(
    Stream.switchMap((current) => Stream.fromEffect(Effect.scoped(runWith(current)))),
    Stream.runDrain
  )
)

const runWith = Effect.fnUntraced(function* ({ leastSources, sources }: Sources) {
  const report = yield* makeReport(sources)
  if (sources.length === 0) return
  const feed = yield* Feed
  const { instruments } = yield* VenueSettings
  // Waits until all markets are followed, because a source might continue from the current price. A market that
  // cannot be followed delays the others by at most 10 s.
  const areFollowed = () => [...instruments.keys()].every((symbol) => feed.head(symbol) !== undefined)
  yield* Effect.repeat(Effect.void, { until: areFollowed, schedule: Schedule.spaced("20 millis") }).pipe(
    Effect.timeoutOption("10 seconds")
  )
  const receive = yield* makeReceive(sources, leastSources, report)
  yield* Effect.forEach(
    sources,
    (source) =>
      source.run({ inForce: (symbol) => feed.prices.get(symbol), tell: receive(source) }).pipe(
        // A defect in one source must not stop the others.
        Effect.tapDefect((defect) =>
          Effect.logError(`price source ${source.name} failed; restarting it in 5 s`, defect)
        ),
        Effect.sandbox,
        Effect.retry(Schedule.spaced("5 seconds")),
        Effect.orDie
      ),
    { concurrency: "unbounded", discard: true }
  )
})

export const layer: Layer.Layer<
  never,
  never,
  Sharding.Sharding | MarketClient | Feed | FuturesReference | DeadPriceSources
> = Singleton.make("PriceFeed", run)

/** Each source's last quote for each contract. */
type Quotes = ReadonlyMap<PriceSource, Map<string, Quote>>
interface Quote {
  readonly priceE8: number
  readonly receivedAtMillis: number
  /** Source's quote time, at most this node's time, or the time of receipt if the source states no time. */
  readonly quotedAtMillis: number
}

/**
 * Returns a symbol's price from one source, with the time of the oldest quote used. Ignores quotes received or quoted
 * before the given times. A repeated quote keeps its first quote time.
 */
const pricesBySource =
  (quotes: Quotes, reference: () => SourcePrice.Reference) =>
  (source: PriceSource, symbol: MarketSymbol, now: number, receivedSince: number, quotedSince: number) => {
    let quotedAtMillis = now
    const priceE8Of = (contract: string) => {
      const quote = quotes.get(source)!.get(contract)
      if (quote === undefined || quote.receivedAtMillis < receivedSince || quote.quotedAtMillis < quotedSince)
        return undefined
      quotedAtMillis = Math.min(quotedAtMillis, quote.quotedAtMillis)
      return quote.priceE8
    }
    const priceE8 = SourcePrice.of(symbol, source.symbols.get(symbol)!, priceE8Of, reference(), now)
    return priceE8 === undefined ? undefined : { priceE8, quotedAtMillis }
  }

/** Collects quotes and sends changed prices to their markets every `everyMillis`. Returns a receiver per source. */
const makeReceive = Effect.fnUntraced(function* (
  sources: ReadonlyArray<PriceSource>,
  leastSources: number,
  report: SourceWatch.SourceReport
) {
  const clock = yield* Clock.Clock
  const feed = yield* Feed
  const { instruments } = yield* VenueSettings
  const markets = yield* MarketClient
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const reference = yield* followReference(sources)
  const quotes: Quotes = new Map(sources.map((source) => [source, new Map()]))
  const changed = new Set<MarketSymbol>()
  const sending = new Set<MarketSymbol>()

  yield* collectAges(quotes, (symbol) => instruments.has(symbol))
  const priceBy = pricesBySource(quotes, reference)
  const currentBy = (source: PriceSource, symbol: MarketSymbol, now: number, afterMillis = 0) =>
    priceBy(source, symbol, now, now - maxAgeMillis, Math.max(now - QuoteTime.goodForMillis, afterMillis))
  const priceOf = (symbol: MarketSymbol) => {
    const now = clock.currentTimeMillisUnsafe()
    const able = sources.filter((source) => source.symbols.has(symbol))
    const inForce = feed.prices.get(symbol)
    // Only quotes newer than an operator's price replace that price.
    const afterMillis = inForce?.source === "operator" ? inForce.toldAtMillis + 1 : 0
    const prices = able.flatMap((source) => currentBy(source, symbol, now, afterMillis) ?? [])
    const least = Math.max(1, Math.min(leastSources, able.length))
    const priceE8 = prices.length < least ? undefined : median(prices.map((price) => price.priceE8))
    if (priceE8 === undefined) return undefined
    // The latest time since which enough sources have quoted.
    const newestFirst = prices.map((price) => price.quotedAtMillis).sort((a, b) => b - a)
    return { priceE8, quotedAtMillis: newestFirst[least - 1]! }
  }
  const hasEnded = (symbol: MarketSymbol) => isOver(feed.tradingStates.get(symbol) ?? "TRADING")
  const send = (symbol: MarketSymbol) => {
    if (hasEnded(symbol)) return
    const price = priceOf(symbol)
    if (price === undefined) return
    sending.add(symbol)
    const done = Effect.sync(() => sending.delete(symbol))
    // Forked, so that an unresponsive market does not delay the others. The unresponsive market receives the next
    // price instead.
    fork(Effect.ensuring(Effect.ignore(markets.observe(symbol, price.priceE8, "external", price.quotedAtMillis)), done))
  }
  const beat = yield* Beat.make(
    everyMillis,
    Effect.sync(() => {
      for (const symbol of changed) {
        if (sending.has(symbol)) continue
        changed.delete(symbol)
        send(symbol)
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
  yield* Effect.forkScoped(Effect.delay(warnOfSilentSources(sources, isSilent), firstPriceTimeout))
  const priceNow = (source: PriceSource, symbol: MarketSymbol, now: number) => currentBy(source, symbol, now)?.priceE8
  yield* Effect.forkScoped(SourceWatch.run(sources, isExpected, priceNow, report))
  return (source: PriceSource) => {
    const listed = [...source.symbols].filter(([symbol]) => instruments.has(symbol))
    const symbolsOf = new Map<string, Array<MarketSymbol>>()
    for (const [symbol, contracts] of listed)
      for (const contract of SourcePrice.contractsOf(contracts))
        symbolsOf.set(contract, [...(symbolsOf.get(contract) ?? []), symbol])
    return ({ contract, priceE8, quotedAtMillis }: Print) => {
      const symbols = symbolsOf.get(contract)
      const now = clock.currentTimeMillisUnsafe()
      if (symbols === undefined || (quotedAtMillis !== undefined && !QuoteTime.isCurrent(quotedAtMillis, now))) return
      const quote = { priceE8, receivedAtMillis: now, quotedAtMillis: Math.min(now, quotedAtMillis ?? now) }
      const before = quotes.get(source)!.get(contract)
      // Servers behind one vendor host name might lag behind each other, so an older quote is dropped.
      if (quotedAtMillis !== undefined && before !== undefined && quote.quotedAtMillis < before.quotedAtMillis) return
      quotes.get(source)!.set(contract, quote)
      for (const symbol of symbols) changed.add(symbol)
      beat.start()
    }
  }
})

/** Provides the age of each source's newest quote for each symbol. */
const collectAges = Effect.fnUntraced(function* (quotes: Quotes, isListed: (symbol: MarketSymbol) => boolean) {
  const clock = yield* Clock.Clock
  yield* Meter.collect(Markets.sourceAge, () =>
    Array.from(quotes, ([source, bySource]) =>
      Array.from(source.symbols, ([symbol, contracts]) => {
        const times = SourcePrice.contractsOf(contracts).map((contract) => bySource.get(contract)?.receivedAtMillis)
        const newest = Math.max(...times.map((at) => at ?? -Infinity))
        const age = Meter.ageSeconds(clock.currentTimeMillisUnsafe(), newest === -Infinity ? undefined : newest)
        return [{ source: source.name, symbol }, age] as const
      }).filter(([{ symbol }]) => isListed(symbol))
    ).flat()
  )
})

/** Logs symbols without any price from a source, for example a misspelt name or a future without a settlement. */
const warnOfSilentSources = Effect.fnUntraced(function* (
  sources: ReadonlyArray<PriceSource>,
  isSilent: (source: PriceSource, symbol: MarketSymbol, now: number) => boolean
) {
  const now = yield* Clock.currentTimeMillis
  for (const source of sources) {
    const silent = [...source.symbols.keys()].filter((symbol) => isSilent(source, symbol, now))
    if (silent.length > 0)
      yield* Effect.logWarning(
        `price source ${source.name} has sent no price for ${silent.join(", ")} within 1 minute; check the contract names in the price settings`
      )
  }
})

/** Records changes of a source's state. A change that cannot be stored is stored with the next report. */
const makeReport = Effect.fnUntraced(function* (sources: ReadonlyArray<PriceSource>) {
  const tables = yield* DeadPriceSources
  yield* Effect.ignore(tables.retain(sources.map(({ name }) => name)))
  const reported = new Map<string, string | undefined>()
  const changed = (name: string, state: string | undefined, write: Effect.Effect<void, unknown>) =>
    reported.has(name) && reported.get(name) === state
      ? Effect.void
      : Effect.ignore(
          Effect.andThen(
            write,
            Effect.sync(() => reported.set(name, state))
          )
        )
  return {
    died: ({ name }, reason) => changed(name, reason, tables.died(name, reason)),
    works: ({ name }) => changed(name, undefined, tables.works(name))
  } satisfies SourceWatch.SourceReport
})

/** Rereads settlements and holidays if any source has futures, because prices are derived from both. */
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

/** Interval at which changed prices are sent to markets. */
const everyMillis = 200
/** Maximum age of a quote since its receipt. Older quotes are ignored. */
const maxAgeMillis = 10_000
/** Time after which symbols without a price are logged. */
const firstPriceTimeout = "1 minute"
/** Time within which recorded settlements and holidays take effect. */
const referenceAge = "10 seconds"
