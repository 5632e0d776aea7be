/** Tests of the chart tables against the reference implementation, for any split of the log. */
import { minuteMillis, minuteOf } from "@venue/domain/Minute"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Candles from "@venue/storage/history/Candles"
import * as FundingRates from "@venue/storage/history/FundingRates"
import * as Holders from "@venue/storage/history/Holders"
import * as Prices from "@venue/storage/history/Prices"
import type { ReadQuery } from "@venue/storage/history/ReadTable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Windows from "@venue/storage/history/Windows"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { postgresLayer } from "../../Postgres.ts"
import { batchesOf, began, chartEvents } from "./ChartEvents.ts"
import * as Twin from "./ChartTwin.ts"

const groups = [Candles.projection, Prices.projection, FundingRates.projection, Holders.projection]

const sizes = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 })
const history = fc.record({ events: chartEvents, rowSizes: sizes, batchSizes: sizes })
const range = fc.record({
  minutes: fc.constantFrom(1, 5, 15, 30, 60, 240, 1_440),
  fromMillis: fc.integer({ min: -10_000_000, max: 60_000_000 }),
  lengthMillis: fc.integer({ min: -1_000, max: 90_000_000 })
})

/** Compares every query over one range with the twin's results. */
const assertAnswers = Effect.fnUntraced(function* (
  symbol: MarketSymbol,
  { events, rows }: { readonly events: Parameters<typeof Twin.candles>[0]; readonly rows: number },
  windows: Windows.Windows
) {
  const { read } = yield* ReadTables
  const { fromMinute, minutes } = windows
  const starts = Windows.starts(windows)
  assert.deepStrictEqual(yield* read(Candles.ofWindows(windows)), Twin.candles(events, starts, minutes))
  assert.deepStrictEqual(
    new Map([...(yield* read(Candles.notionals([symbol], windows)))].toSorted(([a], [b]) => a - b)),
    new Map(Twin.candles(events, starts, minutes).map(({ notional, startMinute }) => [startMinute, notional]))
  )
  assert.deepStrictEqual(
    yield* read(Candles.lastBefore(symbol, fromMinute)),
    Twin.candleBefore(events, symbol, fromMinute)
  )
  assert.deepStrictEqual(yield* read(Candles.recent(symbol, fromMinute)), {
    position: rows,
    candles: Twin.recent(events, symbol, fromMinute)
  })
  assert.deepStrictEqual(yield* read(Prices.ofWindows(windows)), Twin.prices(events, starts, minutes))
  assert.deepStrictEqual(yield* read(Prices.lastBefore(symbol, fromMinute)), Twin.pricesBefore(events, fromMinute))
  assert.deepStrictEqual(yield* read(Prices.marksFrom(symbol, fromMinute)), {
    position: rows,
    marks: Twin.marksFrom(events, fromMinute)
  })
  assert.strictEqual(yield* read(Prices.firstMinute(symbol)), Twin.firstMinute(events))
  assert.strictEqual(yield* read(Prices.lastMinute(symbol)), Twin.lastMinute(events))
  const known = Effect.fnUntraced(function* <Row extends { readonly startMinute: number }>(
    query: ReadQuery<ReadonlyArray<Row>>
  ) {
    const rows = yield* read(query)
    assert.includeMembers(
      [...starts],
      rows.map(({ startMinute }) => startMinute)
    )
    return Windows.filled(windows, rows).map(([, row]) => row)
  })
  assert.deepStrictEqual(
    (yield* known(Prices.openInterestAt(windows))).map((row) => row?.openInterestLots),
    starts.map((start) => Twin.openInterestAt(events, start))
  )
  assert.deepStrictEqual(
    (yield* known(FundingRates.lastOf(windows))).map((row) => row && [row.rateE12, row.skipped]),
    starts.map((start) => Twin.fundingAt(events, start))
  )
  assert.deepStrictEqual(
    (yield* known(Holders.atStarts(windows))).map((row) => row && [row.longUsers, row.shortUsers]),
    starts.map((start) => Twin.holdersAt(events, start))
  )
})

const suite = (name: string, readTables: Layer.Layer<ReadTables, unknown>, numRuns: number) =>
  layer(readTables, { timeout: "60 seconds" })(name, (it) => {
    it.effect(
      "charts do not depend on how the log is split into rows and batches, or on repeated rows",
      () =>
        Effect.gen(function* () {
          const { project } = yield* ReadTables
          const drawn = fc.sample(fc.tuple(history, fc.array(range, { minLength: 2, maxLength: 4 })), {
            numRuns,
            seed: 7
          })
          const all = new Map<MarketSymbol, Parameters<typeof Twin.candles>[0]>()
          for (const [at, [{ batchSizes, events, rowSizes }, ranges]] of drawn.entries()) {
            const symbol = MarketSymbol.make(`CHART${at}-USD`)
            const batches = batchesOf(events, rowSizes, batchSizes)
            for (const batch of batches) yield* project(groups, symbol, batch)
            // Projects again from the first row, as after a restart. Each row must still count only once.
            yield* project(groups, symbol, batches.flat())
            all.set(symbol, events)
            const log = { events, rows: batches.flat().length }
            for (const { fromMillis, lengthMillis, minutes } of ranges) {
              const from = began + fromMillis
              yield* assertAnswers(symbol, log, Windows.between(symbol, minutes, from, from + lengthMillis))
            }
          }
          const [first] = all.keys()
          const day = Windows.between(first!, 60, began - 86_400_000, began + 86_400_000)
          const sums = new Map<number, bigint>()
          for (const events of all.values()) {
            for (const { notional, startMinute } of Twin.candles(events, Windows.starts(day), 60))
              sums.set(startMinute, (sums.get(startMinute) ?? 0n) + notional)
          }
          const { read } = yield* ReadTables
          assert.isAbove(sums.size, 1)
          assert.deepStrictEqual(
            [...(yield* read(Candles.notionals([...all.keys()], day)))].toSorted(([a], [b]) => a - b),
            [...sums].toSorted(([a], [b]) => a - b)
          )
        }),
      900_000
    )

    it.effect("returns empty charts and position 0 for a market without rows", () =>
      Effect.gen(function* () {
        const symbol = MarketSymbol.make("NOTHING-USD")
        const windows = Windows.between(symbol, 5, began, began + 3_600_000)
        yield* assertAnswers(symbol, { events: [], rows: 0 }, windows)
      })
    )
  })

suite("charts in memory", ReadTables.layerMemory, 300)
suite("charts on Postgres", Layer.provide(ReadTables.layer, postgresLayer), 40)

describe("windows", () => {
  const symbol = MarketSymbol.make("AAPL-USD")
  const day = Date.UTC(2026, 10, 20)
  const starts = (minutes: number, fromMillis: number, toMillis: number) =>
    Windows.starts(Windows.between(symbol, minutes, fromMillis, toMillis)).map((minute) =>
      new Date(minute * minuteMillis).toISOString().slice(5, 16)
    )

  it("chart windows start at multiples of their length in UTC, and exclude the instant at which they end", () => {
    assert.deepStrictEqual(starts(1_440, day, day + 1), ["11-20T00:00"])
    assert.deepStrictEqual(starts(1_440, day + 1, day + 86_400_000), [])
    assert.deepStrictEqual(starts(240, day - 1, day + 14_400_001), ["11-20T00:00", "11-20T04:00"])
    assert.deepStrictEqual(starts(30, day + 1, day), [])
  })

  it("chart queries return at most the first 20,000 windows", () => {
    const windows = Windows.between(symbol, 15, day, day + 365 * 86_400_000)
    assert.lengthOf(Windows.starts(windows), 20_000)
    assert.strictEqual(windows.fromMinute, minuteOf(day))
  })

  it("chart queries clamp times outside the range of the database column", () => {
    assert.deepStrictEqual(Windows.starts(Windows.between(symbol, 60, -8.64e15, 1)), [0])
    assert.deepStrictEqual(Windows.starts(Windows.between(symbol, 60, 8e15, 8.64e15)), [])
  })
})
