/**
 * The last minutes of every market: from the table at first, then from the journal up to where the feed is, and from there on
 * by the feed. So they are whole from the start on, and the same on every gateway.
 */
import { Feed } from "@venue/cluster/feed/Feed"
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { minuteOf } from "@venue/domain/Minute"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as Candles from "@venue/storage/history/Candles"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Effect, Schedule, Semaphore } from "effect"
import * as LastSplit from "./LastSplit.ts"
import * as Minutes from "./Minutes.ts"

export interface RecentTrades {
  /** Undefined until they are known. */
  readonly of: (symbol: MarketSymbol) => Minutes.Minutes | undefined
}

/** Rows of the journal that are read at once. */
const pageRows = 256
/** The same where a split is looked for. */
const splitRows = 8
/** Markets that are read at once, beside what users ask of the database. */
const maxLoads = 2
const tryAgain = Schedule.spaced("1 second")

export const make = Effect.gen(function* () {
  const feed = yield* Feed
  const loads = yield* Semaphore.make(maxLoads)
  const scope = yield* Effect.scope
  const load = yield* makeLoad
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const known = new Map<MarketSymbol, Loaded>()
  const begun = new Set<MarketSymbol>()

  const begin = (symbol: MarketSymbol) => {
    if (begun.has(symbol)) return
    begun.add(symbol)
    const loading = loads.withPermit(load(symbol)).pipe(
      Effect.tapError((error) => Effect.logError(`the last minutes of ${symbol}`, error)),
      Effect.retry(tryAgain),
      Effect.map((loaded) => known.set(symbol, loaded))
    )
    run(Effect.forkIn(loading, scope))
  }
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      feed.watch(({ events, instrument, seq }) => {
        const loaded = known.get(instrument.symbol)
        if (loaded !== undefined) follow(loaded, seq, events)
      }, begin)
    ),
    (stop) => Effect.sync(stop)
  )
  for (const symbol of feed.instruments.keys()) if (feed.head(symbol) !== undefined) begin(symbol)
  return { of: (symbol) => known.get(symbol)?.minutes } satisfies RecentTrades as RecentTrades
})

/** All rows up to `seq` are in them. */
interface Loaded {
  readonly minutes: Minutes.Minutes
  seq: number
}

/** A row that is in them already changes nothing: the table may be further than the feed. */
const follow = (loaded: Loaded, seq: number, events: ReadonlyArray<MarketEvent>): void => {
  if (seq <= loaded.seq) return
  loaded.seq = seq
  for (const event of events) {
    if (event._tag === "Traded") Minutes.take(loaded.minutes, event)
    else if (event._tag === "ContractSplit") Minutes.split(loaded.minutes, event)
  }
}

/** Ends in the turn in which nothing is lacking that the feed has told, so that what it tells next follows. */
const makeLoad = Effect.gen(function* () {
  const feed = yield* Feed
  const journal = yield* Journal
  const tables = yield* ReadTables
  return Effect.fnUntraced(function* (symbol: MarketSymbol) {
    const afterMinute = minuteOf(yield* Clock.currentTimeMillis) - Minutes.keptMinutes
    const before = yield* tables.read(Candles.lastBefore(symbol, afterMinute + 1))
    const { candles, position } = yield* tables.read(Candles.recent(symbol, afterMinute))
    const oldest = before?.minute ?? candles[0]?.minute ?? Infinity
    const splitMillis = feed.splitMillis.get(symbol) ?? 0
    const read = (after: number) => journal.read(marketStream(symbol), after, splitRows)
    const found = minuteOf(splitMillis) < oldest ? undefined : yield* LastSplit.find(read, position, splitMillis)
    const beforeTicks = before?.closeTicks ?? 0
    const loaded: Loaded = {
      minutes:
        found === undefined || found.seq > position
          ? Minutes.of(candles, beforeTicks)
          : Minutes.ofSplit(candles, beforeTicks, found.split),
      seq: position
    }
    while (loaded.seq < feed.head(symbol)!.seq) {
      const rows = yield* journal.read(marketStream(symbol), loaded.seq, pageRows)
      for (const { events, seq } of rows) {
        follow(loaded, seq, events.length === 0 ? [] : MarketRecord.decode(events))
      }
    }
    return loaded
  })
})
