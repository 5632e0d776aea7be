/** The auditor's checkpoint: an auditor that continues from one knows what an auditor from the first rows knows. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as CheckpointTable from "../../../apps/auditor/CheckpointTable.ts"
import * as Passes from "../../../apps/auditor/Passes.ts"
import * as Reading from "../../../apps/auditor/Reading.ts"
import * as StoredMarks from "../../../apps/auditor/StoredMarks.ts"
import * as Versions from "../../../apps/auditor/Versions.ts"
import { DeskReports } from "@venue/storage/audit/DeskReports"
import { Listings } from "@venue/storage/listing/Listings"
import { freshDatabase } from "../../Postgres.ts"
import { auditor } from "./AuditedVenue.ts"
import * as WrittenMonth from "./WrittenMonth.ts"

const streams = WrittenMonth.rows(52)
const half = streams.flatMap((rows) => rows.slice(0, rows.length >> 1))
const rest = streams.flatMap((rows) => rows.slice(rows.length >> 1))

/** Counts the journal rows that an auditor reads. */
const counting = () => {
  const count = { rows: 0 }
  const through = (reading: Reading.Reading): Reading.Reading => ({
    ...reading,
    rows: (of, limit) => Effect.tap(reading.rows(of, limit), (rows) => Effect.sync(() => (count.rows += rows.length)))
  })
  return { count, through }
}

const services = (url: Redacted.Redacted) =>
  Layer.mergeAll(DeskReports.layer, Listings.layer).pipe(
    Layer.provideMerge(Layer.fresh(PgClient.layer({ url, maxConnections: 3 })))
  )

/** Returns the checkpoint after the complete marks are stored, as the auditor process stores them. */
const checkpointOf = Effect.fnUntraced(function* ({ audit, sql }: Effect.Success<ReturnType<typeof auditor>>) {
  yield* StoredMarks.store(sql, audit.books, Reading.make(sql))
  return audit.checkpoint()!
})

const sumsOf = ({ books }: Pick<Effect.Success<ReturnType<typeof auditor>>, "books">) => ({
  markets: Array.from(books.markets, ([symbol, { entries, fold, line, trades }]) => [
    symbol,
    { ...line },
    fold.positions.current,
    fold.house.current,
    fold.remaining,
    [fold.trades, fold.lots, fold.cash],
    trades,
    entries
  ]),
  traders: Array.from(books.traders, ([userId, { entries, fold, line }]) => [
    userId,
    { ...line },
    fold.accounts.current,
    entries
  ]).toSorted(),
  deposited: books.deposited,
  inFlight: books.inFlight
})

it.live("an auditor that continues from a checkpoint reads only later rows and has the sums of a full pass", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const first = yield* auditor(url)
    yield* WrittenMonth.insert(first.sql, half)
    assert.isNull(yield* first.round)
    const checkpoint = yield* checkpointOf(first)
    yield* WrittenMonth.insert(first.sql, rest)

    const { count, through } = counting()
    const continued = yield* auditor(url, through, checkpoint)
    assert.isNull(yield* continued.round)
    const fresh = yield* auditor(url)
    assert.isNull(yield* fresh.round)
    assert.deepStrictEqual(sumsOf(continued), sumsOf(fresh))
    assert.strictEqual(count.rows, rest.length)
    for (const { fold, line } of continued.books.traders.values()) {
      assert.isTrue(Versions.isKnown(fold.accounts, line.seq))
    }
  })
)

it.live("an auditor that continues from a checkpoint detects a row that has changed since the checkpoint", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const first = yield* auditor(url)
    yield* WrittenMonth.insert(first.sql, half)
    assert.isNull(yield* first.round)
    const continued = yield* auditor(url, undefined, yield* checkpointOf(first))
    const { seq, stream } = half[20]!
    yield* first.sql`update journal set events = events || '\\x00'::bytea where stream = ${stream} and seq = ${seq}`
    assert.include(yield* continued.round, stream)
    assert.isUndefined(continued.audit.checkpoint())
  })
)

it.live(
  "a stored checkpoint is continued, unless it was changed, is of another release, or a full pass is wanted",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rowsReadBy = (pass: Passes.Pass) =>
          [...pass.audit.books.markets.values()].reduce((rows, { line }) => rows + line.seq, 0)
        assert.isUndefined(yield* CheckpointTable.load(sql))
        yield* WrittenMonth.insert(sql, half)
        const pass = yield* Passes.begin(false)
        assert.isNull(yield* pass.audit.round)
        yield* StoredMarks.store(sql, pass.audit.books, Reading.make(sql))
        yield* Passes.save(pass, null)

        const stored = yield* CheckpointTable.load(sql)
        assert.deepStrictEqual(stored, {
          state: Uint8Array.from(pass.audit.checkpoint()!),
          fullPassAtMillis: pass.fullPassAtMillis!
        })
        assert.strictEqual(rowsReadBy(yield* Passes.begin(false)), rowsReadBy(pass))
        assert.strictEqual(rowsReadBy(yield* Passes.begin(true)), 0)

        yield* sql`update audit_checkpoint set full_pass_at = full_pass_at + 1`
        assert.deepStrictEqual(yield* CheckpointTable.load(sql), {
          unusable: "the digest of the stored checkpoint is wrong"
        })
        assert.strictEqual(rowsReadBy(yield* Passes.begin(false)), 0)
        yield* sql`update audit_checkpoint set version = '0.0.9 format 1', full_pass_at = full_pass_at - 1`
        assert.strictEqual(rowsReadBy(yield* Passes.begin(false)), 0)

        yield* Passes.save(pass, "a fault")
        assert.isUndefined(yield* CheckpointTable.load(sql))
      }).pipe(Effect.provide(services(url)))
    })
)

it.live(
  "a full pass replaces a pass whose sums are older than the limit, and finds what the older pass cannot see",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* WrittenMonth.insert(sql, half)
        const pass = yield* Passes.begin(false)
        assert.isNull(yield* pass.audit.round)
        yield* StoredMarks.store(sql, pass.audit.books, Reading.make(sql))
        yield* Passes.save(pass, null)
        assert.isUndefined(yield* Passes.renew(pass, 60_000))
        const { seq, stream } = half.findLast(
          ({ events, stream }) => stream.startsWith("market/") && events.length > 0
        )!
        yield* sql`delete from journal where stream = ${stream} and seq = ${seq - 1}`
        const renewed = yield* Passes.renew(pass, -1)
        assert.include(yield* renewed!.audit.round, `row ${seq} follows row ${seq - 2}`)
      }).pipe(Effect.provide(services(url)))
    })
)
