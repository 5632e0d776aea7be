/**
 * State of every market over the last minutes. The state is loaded from a table, brought up to the feed's row from
 * the journal, and then updated by the feed. It is therefore complete from the start and equal on every gateway.
 */
import { Feed } from "@venue/cluster/feed/Feed"
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { dayMillis } from "@venue/domain/Day"
import { minuteMillis, minuteOf } from "@venue/domain/Minute"
import type { Ratio } from "@venue/domain/Split"
import { Journal } from "@venue/journal/Journal"
import * as JournalGap from "@venue/journal/JournalGap"
import * as MarketRecord from "@venue/journal/MarketRecord"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Effect, Schedule, Semaphore, identity } from "effect"
import * as LastSplit from "./LastSplit.ts"

export interface Recent<A> {
  /** Returns a market's state, or undefined until the state is loaded. */
  readonly of: (symbol: MarketSymbol) => A | undefined
}

/** Functions that load and update one kind of state. The state is mutable and has a single owner. */
export interface Kind<A> {
  /** Reads the market's rows that are needed at `nowMinute`. */
  readonly table: (
    read: ReadTables["Service"]["read"],
    symbol: MarketSymbol,
    nowMinute: number
  ) => Effect.Effect<TableState<A>, DatabaseUnavailable>
  readonly take: (self: A, event: MarketEvent) => void
}

/** A market's state as stored in its table. */
export interface TableState<A> {
  /** Sequence number of the last log row that the table includes. */
  readonly position: number
  /** Oldest minute in the table, or Infinity if the table is empty. */
  readonly oldestMinute: number
  /** Returns the state in current units. `splits` are the splits within the state's time span, in order. */
  readonly of: (splits: ReadonlyArray<TimedSplit>) => A
}

export type TimedSplit = Ratio & { readonly atMillis: number }

/** Page size of journal reads. */
const pageRows = 256
/** Time span before the last split to search for earlier splits; tables are read only about one day back. */
const splitSpanMillis = 2 * dayMillis
/** Maximum number of markets loaded at once, in addition to user queries. */
const maxLoads = 2
const retries = Schedule.spaced("1 second")

export const make = Effect.fnUntraced(function* <A>(kind: Kind<A>) {
  const feed = yield* Feed
  const loads = yield* Semaphore.make(maxLoads)
  const scope = yield* Effect.scope
  const load = yield* makeLoad(kind)
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const loadedOf = new Map<MarketSymbol, Loaded<A>>()
  const started = new Set<MarketSymbol>()

  const begin = (symbol: MarketSymbol) => {
    if (started.has(symbol)) return
    started.add(symbol)
    const loading = loads.withPermit(load(symbol)).pipe(
      Effect.tapError((error) =>
        Effect.logError(`the recent market data of ${symbol} could not be loaded; retrying`, error)
      ),
      Effect.retry(retries),
      Effect.map((loaded) => loadedOf.set(symbol, loaded))
    )
    run(Effect.forkIn(loading, scope))
  }
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      feed.watch(({ events, instrument, seq }) => {
        const loaded = loadedOf.get(instrument.symbol)
        if (loaded !== undefined) follow(kind, loaded, seq, events)
      }, begin)
    ),
    (stop) => Effect.sync(stop)
  )
  for (const symbol of feed.instruments.keys()) if (feed.head(symbol) !== undefined) begin(symbol)
  return identity<Recent<A>>({ of: (symbol) => loadedOf.get(symbol)?.state })
})

/** State that includes all rows up to `seq`. */
interface Loaded<A> {
  readonly state: A
  seq: number
}

/** Applies a row. Ignores a row that the state already includes, because the table might be ahead of the feed. */
const follow = <A>(kind: Kind<A>, loaded: Loaded<A>, seq: number, events: ReadonlyArray<MarketEvent>): void => {
  if (seq <= loaded.seq) return
  loaded.seq = seq
  for (const event of events) kind.take(loaded.state, event)
}

/**
 * Loads a market. Ends in the event-loop turn in which the state reaches the feed's row, so that the feed's next row
 * follows without a gap.
 */
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
    const range = { lastSeq: position, fromMillis, toMillis: splitMillis }
    const splits = minuteOf(splitMillis) < oldestMinute ? [] : yield* LastSplit.findAll(read, range)
    const loaded: Loaded<A> = { state: of(splits), seq: position }
    while (loaded.seq < feed.head(symbol)!.seq) {
      const rows = yield* JournalGap.readNext(journal, marketStream(symbol), loaded.seq, pageRows)
      for (const { events, seq } of rows) {
        follow(kind, loaded, seq, events.length === 0 ? [] : MarketRecord.decode(events))
      }
    }
    return loaded
  })
})
