/** However far the table, the journal and the feed are when a gateway starts, its last minutes are those of all trades. */
import type { Batch } from "@venue/cluster/clients/LocalEntities"
import { Feed } from "@venue/cluster/feed/Feed"
import { starters } from "@venue/domain/Instrument"
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import { minuteOf } from "@venue/domain/Minute"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as OpenInterest from "@venue/domain/OpenInterest"
import * as Minutes from "@venue/gateway/marketData/Minutes"
import * as RecentTrades from "@venue/gateway/marketData/RecentTrades"
import { Journal, JournalUnavailable } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as Candles from "@venue/storage/history/Candles"
import type { CommittedRow } from "@venue/storage/history/Projection"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { batchesOf, chartEvents } from "../../storage/history/ChartEvents.ts"

type Row = CommittedRow<MarketEvent>

const start = fc.record({
  events: chartEvents,
  rowSizes: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 }),
  /** Parts of the log that the table and the feed have had, in hundredths. */
  table: fc.nat(100),
  feed: fc.nat(100),
  /** Since then nothing happened. */
  idleMillis: fc.constantFrom(0, 0, 60_000, 200_000_000)
})

const untold = {
  follow: () => () => {},
  followMarket: () => () => {},
  prices: new Map(),
  sampling: new Map(),
  splitMillis: new Map(),
  openInterest: OpenInterest.none(),
  tradingStates: new Map(),
  depth: () => undefined
}

/** A feed that has told some rows and is told of more by the test. */
const feedOf = (symbol: MarketSymbol, headSeq: number) => {
  let seq = headSeq
  const watchers = new Set<(batch: Batch) => void>()
  const instrument = { ...starters[0]!, symbol }
  return {
    tell: (row: Row) => {
      seq = row.seq
      for (const watch of watchers) watch({ ...row, instrument, epoch: 1, levels: [] })
    },
    layer: Layer.succeed(Feed)({
      ...untold,
      instruments: new Map([[symbol, instrument]]),
      head: () => ({ epoch: 1, seq, heardAtMillis: 0 }),
      watch: (watcher) => {
        watchers.add(watcher)
        return () => void watchers.delete(watcher)
      }
    })
  }
}

/** The journal of one market, which fails at first. */
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

it.effect("the table, the journal and the feed make one log, of which each row counts once", () =>
  Effect.gen(function* () {
    const { project } = yield* ReadTables
    for (const [at, drawn] of fc.sample(start, { numRuns: 200, seed: 11 }).entries()) {
      const symbol = MarketSymbol.make(`RECENT${at}-USD`)
      const rows = batchesOf(drawn.events, drawn.rowSizes, [1]).flat()
      const upTo = (part: number) => Math.floor((rows.length * part) / 100)
      yield* project([Candles.projection], symbol, rows.slice(0, upTo(drawn.table)))
      const nowMillis = drawn.events.at(-1)!.atMillis + drawn.idleMillis
      yield* TestClock.setTime(nowMillis)
      const feed = feedOf(symbol, upTo(drawn.feed))
      const minutes = yield* Effect.scoped(
        Effect.gen(function* () {
          const recent = yield* RecentTrades.make
          yield* turns
          const half = upTo((100 + drawn.feed) / 2)
          for (const row of rows.slice(upTo(drawn.feed), half)) feed.tell(row)
          while (recent.of(symbol) === undefined) {
            yield* Effect.promise(() => new Promise<void>((resume) => setImmediate(resume)))
            yield* TestClock.adjust("1 second")
          }
          for (const row of rows.slice(half)) feed.tell(row)
          return recent.of(symbol)!
        }).pipe(Effect.provide([feed.layer, journalOf(symbol, rows)]))
      )
      const all = Minutes.none()
      for (const event of drawn.events) if (event._tag === "Traded") Minutes.take(all, event)
      const now = minuteOf(nowMillis)
      for (const back of [0, 59, 1_439]) {
        assert.deepStrictEqual(Minutes.since(minutes, now - back), Minutes.since(all, now - back))
        const length = back + 1
        const from = now - (now % length)
        assert.deepStrictEqual(Minutes.candle(minutes, from, length), Minutes.candle(all, from, length))
      }
    }
  }).pipe(Effect.provide(ReadTables.layerMemory))
)
