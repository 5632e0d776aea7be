/**
 * Tests that a gateway's recent minutes match the whole log, however much of it the table, journal and feed contain
 * at the start.
 */
import type { Batch } from "@venue/cluster/feed/Batch"
import { Feed } from "@venue/cluster/feed/Feed"
import { initialInstruments } from "@venue/domain/Instrument"
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import { minuteOf } from "@venue/domain/Minute"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as OpenInterest from "@venue/domain/OpenInterest"
import * as Marks from "@venue/gateway/marketData/Marks"
import * as Minutes from "@venue/gateway/marketData/Minutes"
import type * as Recent from "@venue/gateway/marketData/Recent"
import { RecentMarks } from "@venue/gateway/marketData/RecentMarks"
import { RecentTrades } from "@venue/gateway/marketData/RecentTrades"
import { Journal, JournalUnavailable } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as Candles from "@venue/storage/history/Candles"
import * as Prices from "@venue/storage/history/Prices"
import type { CommittedRow, MarketProjection } from "@venue/storage/history/Projection"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { batchesOf, chartEvents } from "../../storage/history/ChartEvents.ts"

type Row = CommittedRow<MarketEvent>

const start = fc.record({
  events: chartEvents,
  rowSizes: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 }),
  /** Percentages of the log that the table and the feed contain at the start. */
  table: fc.nat(100),
  feed: fc.nat(100),
  /** Time since the last event. */
  idleMillis: fc.constantFrom(0, 0, 60_000, 200_000_000)
})

const emptyFeed = {
  follow: () => () => {},
  followMarket: () => () => {},
  prices: new Map(),
  sampling: new Map(),
  splitMillis: new Map(),
  openInterest: OpenInterest.none(),
  takeovers: new Map(),
  tradingStates: new Map(),
  depth: () => undefined
}

/** Feed that has already published some rows; the test publishes more. */
const feedOf = (symbol: MarketSymbol, headSeq: number) => {
  let seq = headSeq
  const watchers = new Set<(batch: Batch) => void>()
  const instrument = { ...initialInstruments[0]!, symbol }
  return {
    tell: (row: Row) => {
      seq = row.seq
      for (const watch of watchers) watch({ ...row, instrument, epoch: 1, levels: [] })
    },
    layer: Layer.succeed(Feed)({
      ...emptyFeed,
      instruments: new Map([[symbol, instrument]]),
      head: () => ({ epoch: 1, seq, aliveAtMillis: 0 }),
      watch: (watcher) => {
        watchers.add(watcher)
        return () => void watchers.delete(watcher)
      }
    })
  }
}

/** Journal of one market whose first read fails. */
const journalOf = (symbol: MarketSymbol, rows: ReadonlyArray<Row>) => {
  let fails = true
  return Layer.mock(Journal)({
    append: () => {
      throw new Error("nothing is recorded here")
    },
    read: (stream, after, limit) =>
      Effect.suspend(() => {
        assert.strictEqual(stream, marketStream(symbol))
        const isFailing = fails
        fails = false
        if (isFailing) return Effect.fail(new JournalUnavailable({ cause: undefined }))
        return Effect.succeed(
          rows
            .slice(after, after + Math.min(limit, 3))
            .map(({ events, seq }) => ({ stream, seq, epoch: 1, events: MarketRecord.encode(events) }))
        )
      })
  })
}

const turns = Effect.repeat(Effect.yieldNow, { times: 50 })

/** Compares a gateway with the whole log. Some rows arrive while the gateway loads, and the others afterwards. */
const recently = <Service, A>(
  key: Context.Key<Service, Recent.Recent<A>>,
  layer: Layer.Layer<Service, never, Feed | Journal | ReadTables>,
  projection: MarketProjection,
  assertSame: (recent: A, events: ReadonlyArray<MarketEvent>, nowMillis: number) => void
) =>
  Effect.gen(function* () {
    const { project } = yield* ReadTables
    for (const [at, drawn] of fc.sample(start, { numRuns: 200, seed: 11 }).entries()) {
      const symbol = MarketSymbol.make(`RECENT${at}-USD`)
      const rows = batchesOf(drawn.events, drawn.rowSizes, [1]).flat()
      const upTo = (part: number) => Math.floor((rows.length * part) / 100)
      yield* project([projection], symbol, rows.slice(0, upTo(drawn.table)))
      const nowMillis = drawn.events.at(-1)!.atMillis + drawn.idleMillis
      yield* TestClock.setTime(nowMillis)
      const feed = feedOf(symbol, upTo(drawn.feed))
      const recent = yield* Effect.scoped(
        Effect.gen(function* () {
          const { of } = Context.get(yield* Layer.build(Layer.fresh(layer)), key)
          yield* turns
          const half = upTo((100 + drawn.feed) / 2)
          for (const row of rows.slice(upTo(drawn.feed), half)) feed.tell(row)
          while (of(symbol) === undefined) {
            yield* Effect.promise(() => new Promise<void>((resume) => setImmediate(resume)))
            yield* TestClock.adjust("1 second")
          }
          for (const row of rows.slice(half)) feed.tell(row)
          return of(symbol)!
        }).pipe(Effect.provide([feed.layer, journalOf(symbol, rows)]))
      )
      assertSame(recent, drawn.events, nowMillis)
    }
  }).pipe(Effect.provide(ReadTables.layerMemory))

it.effect("counts each trade once although table, journal and feed overlap", () =>
  recently(RecentTrades, RecentTrades.layer, Candles.projection, (minutes, events, nowMillis) => {
    const all = Minutes.none()
    for (const event of events) if (event._tag === "Traded") Minutes.take(all, event)
    const now = minuteOf(nowMillis)
    assert.strictEqual(Minutes.lastTicks(minutes), Minutes.lastTicks(all))
    for (const back of [0, 59, 1_439]) {
      assert.deepStrictEqual(Minutes.since(minutes, now - back), Minutes.since(all, now - back))
      const length = back + 1
      const from = now - (now % length)
      assert.deepStrictEqual(Minutes.candle(minutes, from, length), Minutes.candle(all, from, length))
    }
  })
)

it.effect("counts each mark once although table, journal and feed overlap", () =>
  recently(RecentMarks, RecentMarks.layer, Prices.projection, (marks, events, nowMillis) => {
    const priced = events.filter((event) => event._tag === "Priced")
    const now = minuteOf(nowMillis)
    for (const ahead of [0, 1, 60, 1_439, 1_440]) {
      const stood = priced.findLast(({ atMillis }) => minuteOf(atMillis) <= now + ahead - 1_440)?.markE8
      const change = stood === undefined ? 0 : Math.round(((1_000 - stood) / stood) * 10_000) / 100
      assert.strictEqual(Marks.changePercent(marks, 1_000, now + ahead), change)
    }
  })
)
