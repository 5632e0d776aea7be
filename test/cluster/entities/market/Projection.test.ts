/** Tests that a market's tables for queries follow its log despite failed writes. */
import * as Projection from "@venue/cluster/entities/market/Projection"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { dayMillis } from "@venue/domain/Day"
import { initialInstruments } from "@venue/domain/Instrument"
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as Candles from "@venue/storage/history/Candles"
import * as DailyVolumes from "@venue/storage/history/DailyVolumes"
import * as Holdings from "@venue/storage/history/Holdings"
import * as Profits from "@venue/storage/history/Profits"
import type { CommittedRow, MarketProjection } from "@venue/storage/history/Projection"
import * as Projections from "@venue/storage/history/Projections"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Trades from "@venue/storage/history/Trades"
import * as Trading from "@venue/storage/history/Trading"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { traded } from "../../../journal/EventsByHand.ts"
import { postgresLayer } from "../../../Postgres.ts"
import { idOf, turns, userId } from "../../Neighbours.ts"

const symbol = MarketSymbol.make("AAPL-USD")

/** Returns a row with this many events. */
const row = (seq: number, count = 1): CommittedRow<MarketEvent> => ({
  seq,
  events: Array.from({ length: count }, () => ({
    _tag: "Done",
    commandId: idOf(seq),
    expiresAtMillis: 1,
    userId,
    accountId: primaryAccountOf(userId),
    atMillis: 0
  }))
})

/** A journal of committed rows, and tables whose writes succeed or fail as the test specifies. */
const testLayer = (outcomes: Array<Effect.Effect<void, DatabaseUnavailable>>) => {
  const recorded: Array<CommittedRow<MarketEvent>> = []
  const written: Array<number> = []
  /** Row numbers of each transaction. */
  const transactions: Array<ReadonlyArray<number>> = []
  const said: Array<string> = []
  const layer = Layer.mergeAll(
    Logger.layer([Logger.make(({ message }) => void said.push(String(message)))]),
    Layer.mock(Journal)({
      append: () => ({ wake: () => {}, close: () => {}, provenAtMillis: () => 0 }),
      read: (stream, after, limit) =>
        Effect.sync(() =>
          recorded
            .slice(after, after + limit)
            .map(({ events, seq }) => ({ stream, seq, epoch: 1, events: MarketRecord.encode(events) }))
        )
    }),
    Layer.mock(ReadTables)({
      position: () => Effect.sync(() => written.at(-1) ?? 0),
      project: (_projections, _symbol, rows) =>
        Effect.andThen(
          Effect.suspend(() => outcomes.shift() ?? Effect.void),
          Effect.sync(() => {
            written.push(...rows.map(({ seq }) => seq))
            transactions.push(rows.map(({ seq }) => seq))
          })
        )
    })
  )
  return { recorded, written, transactions, said, layer }
}

it.effect("retries a write that threw or failed, and writes each row once in order", () => {
  const unavailable = Effect.fail(new DatabaseUnavailable({ cause: "gone" }))
  const { layer, recorded, said, written } = testLayer([
    Effect.die("fault"),
    unavailable,
    Effect.void,
    Effect.die("another")
  ])
  return Effect.gen(function* () {
    const { committed } = yield* Projection.make(symbol, Projections.ofMarket(initialInstruments[0]!))
    for (let seq = 1; seq <= 4; seq++) {
      recorded.push(row(seq))
      committed(row(seq))
      yield* turns
      yield* TestClock.adjust("10 seconds")
    }
    yield* TestClock.adjust("10 seconds")
    assert.deepEqual(written, [1, 2, 3, 4])
    assert.lengthOf(said, 2)
    assert.include(said[0], "writing the tables of AAPL-USD failed")
  }).pipe(Effect.provide(layer))
})

it.effect("after claiming the log, writes earlier rows to the tables without waiting for a new commit", () => {
  const { layer, recorded, transactions } = testLayer([])
  recorded.push(row(1, 100), row(2, 28), row(3, 200), row(4))
  return Effect.gen(function* () {
    yield* Projection.make(symbol, Projections.ofMarket(initialInstruments[0]!))
    yield* turns
    assert.deepEqual(transactions, [[1, 2], [3], [4]])
  }).pipe(Effect.provide(layer))
})

it.effect("records the log position of a claim in the tables even if no commit follows", () => {
  const { layer, recorded, written } = testLayer([])
  recorded.push(row(1))
  return Effect.gen(function* () {
    const { claimed, committed } = yield* Projection.make(symbol, Projections.ofMarket(initialInstruments[0]!))
    yield* turns
    for (const [seq, tell] of [
      [2, () => claimed(2)],
      [3, () => committed(row(3))],
      [4, () => claimed(4)]
    ] as const) {
      recorded.push(row(seq, seq === 3 ? 1 : 0))
      tell()
      yield* turns
      yield* TestClock.adjust("1 second")
      yield* turns
    }
    assert.deepEqual(written, [1, 2, 3, 4])
  }).pipe(Effect.provide(layer))
})

it.effect("delays table writes during a burst until the burst ends or the tables are 10 s behind", () => {
  const { layer, recorded, written } = testLayer(Array.from({ length: 1_000 }, () => Effect.sleep("30 millis")))
  return Effect.gen(function* () {
    const { committed } = yield* Projection.make(symbol, Projections.ofMarket(initialInstruments[0]!))
    const burst = Effect.fnUntraced(function* (rows: number) {
      for (let count = 0; count < rows; count++) {
        recorded.push(row(recorded.length + 1, 128))
        committed(recorded.at(-1)!)
        yield* turns
        yield* TestClock.adjust("20 millis")
      }
    })
    yield* burst(100)
    assert.isBelow(written.length, 5)
    yield* TestClock.adjust("10 seconds")
    assert.lengthOf(written, 100)

    yield* burst(500)
    assert.isBelow(written.length, 105)
    yield* burst(100)
    assert.isAbove(written.length, 150)
    yield* TestClock.adjust("1 minute")
    assert.deepEqual(
      written,
      recorded.map(({ seq }) => seq)
    )
  }).pipe(Effect.provide(layer))
})

it.effect("during a burst, does not delay the rows for which a reader waits", () => {
  const { layer, recorded, written } = testLayer(Array.from({ length: 1_000 }, () => Effect.sleep("30 millis")))
  return Effect.gen(function* () {
    const { committed, wanted } = yield* Projection.make(symbol, Projections.ofMarket(initialInstruments[0]!))
    const burst = Effect.fnUntraced(function* (rows: number) {
      for (let count = 0; count < rows; count++) {
        recorded.push(row(recorded.length + 1, 128))
        committed(recorded.at(-1)!)
        yield* turns
        yield* TestClock.adjust("20 millis")
      }
    })
    yield* burst(20)
    assert.isBelow(written.length, 5)
    wanted(20)
    yield* burst(40)
    assert.isAtLeast(written.length, 20)
    assert.isBelow(written.length, 25)
    // One write serves the later readers together.
    wanted(58)
    wanted(60)
    yield* burst(80)
    assert.isAtLeast(written.length, 60)
    assert.isBelow(written.length, 65)
  }).pipe(Effect.provide(layer))
})

it.effect("fills a new group of tables from the log's first row without delaying new rows", () => {
  const { layer, recorded } = testLayer([])
  const had = { old: new Array<number>(), late: new Array<number>() }
  const group = (name: keyof typeof had): MarketProjection => ({
    group: name,
    stream: marketStream,
    writes: (_symbol, rows) => {
      had[name].push(...rows.map(({ seq }) => seq))
      return []
    }
  })
  const seqs = () => recorded.map(({ seq }) => seq)
  return Effect.gen(function* () {
    for (let seq = 1; seq <= 1_000; seq++) recorded.push(row(seq))
    const before = yield* Effect.forkScoped(
      Effect.scoped(Effect.andThen(Projection.make(symbol, [group("old")]), Effect.never))
    )
    yield* Effect.repeat(Effect.andThen(turns, TestClock.adjust("100 millis")), {
      until: () => had.old.length === 1_000
    })
    yield* Fiber.interrupt(before)

    const { committed } = yield* Projection.make(symbol, [group("old"), group("late")])
    yield* turns
    for (let seq = 1_001; seq <= 1_005; seq++) {
      recorded.push(row(seq))
      committed(row(seq))
      yield* TestClock.adjust("40 millis")
      yield* turns
      assert.strictEqual(had.old.at(-1), seq)
      assert.isBelow(had.late.length, 1_000)
    }
    yield* Effect.repeat(Effect.andThen(turns, TestClock.adjust("20 millis")), { times: 100 })
    recorded.push(row(1_006))
    committed(row(1_006))
    yield* TestClock.adjust("40 millis")
    yield* turns
    assert.deepEqual(had, { old: seqs(), late: seqs() })
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(layer, ReadTables.layerMemory)))
})

it.effect(
  "a group of tables whose writes fail does not delay other groups, and catches up when writes succeed again",
  () => {
    const { layer, recorded, said } = testLayer([])
    const had = { old: 0, late: 0 }
    let isBroken = true
    const old: MarketProjection = {
      group: "old",
      stream: marketStream,
      writes: (_symbol, rows) => {
        had.old = rows.at(-1)!.seq
        return []
      }
    }
    const late: MarketProjection = {
      ...old,
      group: "late",
      writes: (_symbol, rows) => {
        if (isBroken) throw new Error("fault")
        had.late = rows.at(-1)!.seq
        return []
      }
    }
    return Effect.gen(function* () {
      for (let seq = 1; seq <= 100; seq++) recorded.push(row(seq))
      yield* (yield* ReadTables).project([old], symbol, recorded)
      const { committed } = yield* Projection.make(symbol, [old, late])
      for (let seq = 101; seq <= 110; seq++) {
        recorded.push(row(seq))
        committed(row(seq))
        yield* turns
        yield* TestClock.adjust("5 seconds")
        yield* turns
      }
      assert.deepEqual(had, { old: 110, late: 0 })
      assert.include(said[0], "writing the late tables of AAPL-USD failed")
      isBroken = false
      yield* Effect.repeat(Effect.andThen(turns, TestClock.adjust("5 seconds")), { times: 5 })
      assert.deepEqual(had, { old: 110, late: 110 })
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(layer, ReadTables.layerMemory)))
  }
)

it.live("on Postgres, writes earlier trades once to new volume, candle and holding tables", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { position, project, read } = yield* ReadTables
    const rows = Array.from({ length: 200 }, (_, n) => ({
      seq: n + 1,
      events: [traded("before", n + 1, { atMillis: n * dayMillis, price: 1, quantity: 1_000_000 })]
    }))
    for (const { events, seq } of rows) {
      yield* sql`
        insert into journal (stream, seq, epoch, events)
        values (${marketStream(symbol)}, ${BigInt(seq)}, 1, ${MarketRecord.encode(events)})`
    }
    yield* project([Trading.projection], symbol, rows)
    yield* Projection.make(symbol, Projections.ofMarket(initialInstruments[0]!))
    for (const projection of [DailyVolumes.projection, Candles.projection, Holdings.group]) {
      yield* Effect.repeat(position(projection, symbol), {
        schedule: Schedule.spaced("20 millis"),
        until: (seq) => seq === 200
      }).pipe(Effect.timeout("10 minutes"))
    }
    const taker = UserId.make("before-taker")
    assert.deepEqual(yield* read(DailyVolumes.ofUsers([taker], 100, 130)), [
      { userId: taker, symbol, volume: 30_000_000n }
    ])
    const { candles, position: seq } = yield* read(Candles.recent(symbol, -1))
    assert.deepEqual([seq, candles.length, candles.reduce((sum, { trades }) => sum + trades, 0)], [200, 200, 200])
    const asked = {
      accountId: primaryAccountOf(taker),
      instruments: [initialInstruments[0]!],
      moments: { first: 200 * 96, step: 1, count: 1 }
    }
    const [held] = yield* read(Profits.at(asked, 10_000))
    assert.strictEqual(held?.quantityLots, 200_000_000)
    const trades = Trades.page({ accountId: primaryAccountOf(taker), limit: 1_000, offset: 0 })
    assert.lengthOf(yield* read(trades), 200)
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.mergeAll(Journal.layer, ReadTables.layer).pipe(Layer.provideMerge(postgresLayer)))
  )
)
