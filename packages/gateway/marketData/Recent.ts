/**
 * What is known of the last minutes of every market: from a table at first, then from the journal up to where the feed is, and
 * from there on by the feed. So it is whole from the start on, and the same on every gateway.
 */
import { Feed } from "@venue/cluster/feed/Feed"
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { dayMillis } from "@venue/domain/Day"
import { minuteMillis, minuteOf } from "@venue/domain/Minute"
import type { Ratio } from "@venue/domain/Split"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Effect, Schedule, Semaphore } from "effect"
import * as LastSplit from "./LastSplit.ts"

export interface Recent<A> {
  /** Undefined until it is known. */
  readonly of: (symbol: MarketSymbol) => A | undefined
}

/** One kind of what is known; its one owner changes it in place. */
export interface Kind<A> {
  /** What the table has of a market, as far back as it is needed at that minute. */
  readonly table: (
    read: ReadTables["Service"]["read"],
    symbol: MarketSymbol,
    nowMinute: number
  ) => Effect.Effect<Tabled<A>, DatabaseUnavailable>
  readonly take: (self: A, event: MarketEvent) => void
}

/** What a table had at one moment. */
export interface Tabled<A> {
  /** As far as this into the log of the market. */
  readonly position: number
  /** Infinity where there is nothing. */
  readonly oldestMinute: number
  /** In the units of now, after the splits that came among it, the earliest first. */
  readonly of: (splits: ReadonlyArray<HappenedSplit>) => A
}

export type HappenedSplit = Ratio & { readonly atMillis: number }

/** Rows of the journal that are read at once. */
const pageRows = 256
/** Splits that are further apart than this from the last one are not looked for: tables are read about a day back. */
const splitSpanMillis = 2 * dayMillis
/** Markets that are read at once, beside what users ask of the database. */
const maxLoads = 2
const tryAgain = Schedule.spaced("1 second")

export const make = Effect.fnUntraced(function* <A>(kind: Kind<A>) {
  const feed = yield* Feed
  const loads = yield* Semaphore.make(maxLoads)
  const scope = yield* Effect.scope
  const load = yield* makeLoad(kind)
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const known = new Map<MarketSymbol, Loaded<A>>()
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
        if (loaded !== undefined) follow(kind, loaded, seq, events)
      }, begin)
    ),
    (stop) => Effect.sync(stop)
  )
  for (const symbol of feed.instruments.keys()) if (feed.head(symbol) !== undefined) begin(symbol)
  return { of: (symbol) => known.get(symbol)?.state } satisfies Recent<A> as Recent<A>
})

/** All rows up to `seq` are in it. */
interface Loaded<A> {
  readonly state: A
  seq: number
}

/** A row that is in it already changes nothing: the table may be further than the feed. */
const follow = <A>(kind: Kind<A>, loaded: Loaded<A>, seq: number, events: ReadonlyArray<MarketEvent>): void => {
  if (seq <= loaded.seq) return
  loaded.seq = seq
  for (const event of events) kind.take(loaded.state, event)
}

/** Ends in the turn in which nothing is lacking that the feed has told, so that what it tells next follows. */
const makeLoad = Effect.fnUntraced(function* <A>(kind: Kind<A>) {
  const feed = yield* Feed
  const journal = yield* Journal
  const tables = yield* ReadTables
  return Effect.fnUntraced(function* (symbol: MarketSymbol) {
    const nowMinute = minuteOf(yield* Clock.currentTimeMillis)
    const { of, oldestMinute, position } = yield* kind.table(tables.read, symbol, nowMinute)
    const splitMillis = feed.splitMillis.get(symbol) ?? 0
    const read = (after: number, limit: number) => journal.read(marketStream(symbol), after, limit)
    const fromMillis = Math.max(oldestMinute * minuteMillis, splitMillis - splitSpanMillis)
    const searched = { lastSeq: position, fromMillis, toMillis: splitMillis }
    const splits = minuteOf(splitMillis) < oldestMinute ? [] : yield* LastSplit.findAll(read, searched)
    const loaded: Loaded<A> = { state: of(splits), seq: position }
    while (loaded.seq < feed.head(symbol)!.seq) {
      const rows = yield* journal.read(marketStream(symbol), loaded.seq, pageRows)
      for (const { events, seq } of rows) {
        follow(kind, loaded, seq, events.length === 0 ? [] : MarketRecord.decode(events))
      }
    }
    return loaded
  })
})
