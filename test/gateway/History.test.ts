/**
 * Tests of history reads. A read waits until its tables contain the rows that the reader has already seen, and waits
 * for no other rows.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { AccountId } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import { History } from "@venue/gateway/History"
import * as Holdings from "@venue/storage/history/Holdings"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { emptyMemory } from "@venue/storage/history/ReadTable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { turns } from "../cluster/Neighbours.ts"

const [one, two] = [MarketSymbol.make("ONE-USD"), MarketSymbol.make("TWO-USD")]
const reader = { userId: UserId.make("reader"), accountId: AccountId.make("reader"), cost: noCost }
const answer = { sql: () => Effect.succeed("answer"), memory: () => "answer" }

/**
 * Returns a History whose tables have reached `positions`. The reader has seen row 5 of both markets and row 7 of its
 * own journal.
 */
const historyAt = (positions: Map<string, number>) => {
  const signals: Array<string> = []
  const layer = History.layer.pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.mock(DeskClient)({
          submit: () => {},
          whenReplied: (_userId, then) => then(),
          watermarks: () =>
            Effect.succeed([
              { symbol: one, seq: 5 },
              { symbol: two, seq: 5 }
            ]),
          journalHead: () => Effect.succeed(7)
        }),
        Layer.mock(MarketClient)({
          submit: () => false,
          enter: () => () => {},
          catchUp: (symbol, seq) => Effect.sync(() => void signals.push(`${symbol} ${seq}`))
        }),
        Layer.mock(ReadTables)({
          position: (_group, subject) => Effect.sync(() => positions.get(String(subject)) ?? 0),
          positions: (_groups, subjects) =>
            Effect.sync(() => subjects.map((subject) => positions.get(String(subject)) ?? 0)),
          read: ({ memory }) => Effect.sync(() => memory(emptyMemory()))
        })
      )
    )
  )
  return { layer, signals }
}

const projection = Holdings.group
const ofTrader = LedgerEntries.projection

it.effect("reads immediately and signals no market if the tables are up to date", () => {
  const { layer, signals } = historyAt(
    new Map<string, number>([
      [one, 5],
      [two, 6],
      [reader.userId, 7]
    ])
  )
  return Effect.gen(function* () {
    const { read } = yield* History
    assert.strictEqual(yield* read(reader, { projection, ofTrader }, answer), "answer")
    assert.deepStrictEqual(signals, [])
  }).pipe(Effect.provide(layer))
})

it.effect("if a market's table is behind, signals the market once and reads as soon as the table has caught up", () => {
  const positions = new Map<string, number>([
    [one, 4],
    [two, 5]
  ])
  const { layer, signals } = historyAt(positions)
  return Effect.gen(function* () {
    const { read } = yield* History
    const reading = yield* Effect.forkChild(read(reader, { projection }, answer))
    yield* TestClock.adjust("1 second")
    yield* turns
    assert.deepStrictEqual([signals, reading.pollUnsafe()], [[`${one} 5`], undefined])
    positions.set(one, 5)
    yield* TestClock.adjust("20 millis")
    assert.strictEqual(yield* Fiber.join(reading), "answer")
  }).pipe(Effect.provide(layer))
})

it.effect("waits only for the tables of markets that the query reads", () => {
  const { layer, signals } = historyAt(new Map<string, number>([[two, 5]]))
  return Effect.gen(function* () {
    const { read } = yield* History
    assert.strictEqual(yield* read(reader, { projection, symbols: [two] }, answer), "answer")
    assert.deepStrictEqual(signals, [])
  }).pipe(Effect.provide(layer))
})

it.effect("waits up to 2 s for the table of the trader's journal if the query reads that table", () => {
  const positions = new Map<string, number>([[reader.userId, 6]])
  const { layer } = historyAt(positions)
  return Effect.gen(function* () {
    const { read } = yield* History
    const source = { projection, symbols: [], ofTrader }
    const late = yield* Effect.forkChild(Effect.flip(read(reader, source, answer)))
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual((yield* Fiber.join(late))._tag, "Unavailable")
    const reading = yield* Effect.forkChild(read(reader, source, answer))
    yield* TestClock.adjust("1 second")
    positions.set(reader.userId, 7)
    yield* TestClock.adjust("20 millis")
    assert.strictEqual(yield* Fiber.join(reading), "answer")
  }).pipe(Effect.provide(layer))
})

const counting = (read: ReadTables["Service"]["read"]) =>
  History.layer.pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.mock(DeskClient)({ submit: () => {}, whenReplied: (_userId, then) => then() }),
        Layer.mock(MarketClient)({ submit: () => false, enter: () => () => {} }),
        Layer.mock(ReadTables)({ read })
      )
    )
  )
const three = { sql: () => Effect.succeed(3), memory: () => 3 }

it.effect(
  "returns a count of 10,000 if the count query is cancelled or fails, so that clients still request the next page",
  () =>
    Effect.gen(function* () {
      const counted = (read: ReadTables["Service"]["read"]) =>
        History.use((history) => history.count(three)).pipe(Effect.provide(counting(read)))
      assert.strictEqual(yield* counted(({ memory }) => Effect.sync(() => memory(emptyMemory()))), 3)
      assert.strictEqual(yield* counted(() => Effect.succeedNone as never), 10_000)
      assert.strictEqual(yield* counted(() => Effect.fail(new DatabaseUnavailable({ cause: "a test" }))), 10_000)
      const waiting = yield* Effect.forkChild(counted(() => Effect.never))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(waiting), 10_000)
    })
)
