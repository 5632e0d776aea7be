/** The read tables of a market follow its log, whatever becomes of a write. */
import * as Projection from "@venue/cluster/entities/market/Projection"
import { Journal } from "@venue/journal/Journal"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { idOf, turns, userId } from "../../Neighbours.ts"

const symbol = "AAPL-USD"

const row = (seq: number) => ({
  seq,
  row: MarketRecord.encode([
    { _tag: "Done", commandId: idOf(seq), expiresAtMillis: 1, userId, accountId: userId, atMillis: 0 }
  ])
})

/** A journal of the rows committed so far, and tables whose writes end as the test says; what was written in the end is kept. */
const around = (outcomes: Array<Effect.Effect<void, DatabaseUnavailable>>) => {
  const recorded: Array<{ readonly seq: number; readonly row: Uint8Array }> = []
  const written: Array<number> = []
  const said: Array<string> = []
  const layer = Layer.mergeAll(
    Logger.layer([Logger.make(({ message }) => void said.push(String(message)))]),
    Layer.mock(Journal)({
      append: () => ({ wake: () => {}, close: () => {} }),
      lastRoundTripMillis: () => 0,
      read: (stream, after) =>
        Effect.sync(() => recorded.slice(after).map(({ row, seq }) => ({ stream, seq, epoch: 1, events: row })))
    }),
    Layer.mock(ReadTables)({
      position: () => Effect.sync(() => written.at(-1) ?? 0),
      project: (_symbol, rows) =>
        Effect.andThen(
          Effect.suspend(() => outcomes.shift() ?? Effect.void),
          Effect.sync(() => void written.push(...rows.map(({ seq }) => seq)))
        )
    })
  )
  return { recorded, written, said, layer }
}

it.effect("a write that threw, or that the database refused, is written again, in order and once", () => {
  const unavailable = Effect.fail(new DatabaseUnavailable({ cause: "gone" }))
  const { layer, recorded, said, written } = around([
    Effect.die("fault"),
    unavailable,
    Effect.void,
    Effect.die("another")
  ])
  return Effect.gen(function* () {
    const { committed } = yield* Projection.make(symbol)
    for (let seq = 1; seq <= 4; seq++) {
      recorded.push(row(seq))
      committed(row(seq))
      yield* turns
      yield* TestClock.adjust("10 seconds")
    }
    yield* TestClock.adjust("10 seconds")
    assert.deepEqual(written, [1, 2, 3, 4])
    assert.lengthOf(said, 2)
    assert.include(said[0], "the tables of AAPL-USD are not written on")
  }).pipe(Effect.provide(layer))
})
