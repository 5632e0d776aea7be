/** The archive: rows that no node needs move to files, and every reader of the whole journal reads them there. */
import { AccountId } from "@venue/domain/AccountId"
import { initialInstruments } from "@venue/domain/Instrument"
import { Journal } from "@venue/journal/Journal"
import { readNext } from "@venue/journal/JournalGap"
import * as Projections from "@venue/storage/history/Projections"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Archive from "../../../apps/archive/Archive.ts"
import * as ArchiveFile from "../../../apps/archive/ArchiveFile.ts"
import * as ArchiveTable from "../../../apps/archive/ArchiveTable.ts"
import * as ArchivedReading from "../../../apps/auditor/ArchivedReading.ts"
import * as Reading from "../../../apps/auditor/Reading.ts"
import * as StoredMarks from "../../../apps/auditor/StoredMarks.ts"
import * as Explanation from "../../../apps/explain/Explanation.ts"
import { freshDatabase } from "../../Postgres.ts"
import { auditor } from "../auditor/AuditedVenue.ts"
import * as WrittenMonth from "../auditor/WrittenMonth.ts"

const streams = WrittenMonth.rows(52)
const longest = streams.toSorted((a, b) => b.length - a.length)[0]!
const { stream } = longest[0]!
const head = longest.at(-1)!.seq
const symbol = stream.slice("market/".length)
/** Last row of the last whole block before the newest snapshot. */
const archivable = Math.floor((head - 1) / 500) * 500

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "venue-test-archive-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const write = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  for (const rows of streams) {
    for (let at = 0; at < rows.length; at += 1_000) yield* WrittenMonth.insert(sql, rows.slice(at, at + 1_000))
  }
})

/** Makes the rows of the longest stream needless: a snapshot at its head, and positions of all its read tables. */
const cover = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, projected = head) {
  yield* sql`insert into snapshot_piece (stream, seq, number, piece) values (${stream}, ${head}, 0, ${new Uint8Array(1)})`
  yield* sql`insert into snapshot (stream, seq, bytes) values (${stream}, ${head}, 1)`
  for (const { group } of Projections.ofMarket(initialInstruments[0]!)) {
    yield* sql`insert into projection (position, seq) values (${`${group}:${stream}`}, ${projected})`
  }
  // Splits stay in the journal until their market has traded again, two days ago at the latest.
  yield* sql`
    insert into trade (symbol, number, side, aggressor_side, trade_id, account_id, user_id, order_id, client_order_id,
      price, quantity, order_price, remaining, fee, realised, margin_used, order_type, time_in_force, origin, builder_code,
      liquidation, execution_type, at_millis)
    select ${symbol}, 1000000, 'BUY', 'BUY', 't', 'a', 'a', 'o', '', 1, 1, 1, 0, 0, 0, 0, 'LIMIT', 'GTC', 'USER', '', 'NONE',
      'NEW', (extract(epoch from clock_timestamp()) * 1000)::bigint - 172900000`
})

const counted = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly count: number; readonly first: number }>`
      select count(*)::int as count, min(seq)::int as first from journal where stream = ${stream}`,
    ([row]) => [row!.count, row!.first]
  )

const all = { olderThanMillis: -60_000 }

it("a file returns its rows, and refuses another range, a missing row and a changed byte", () => {
  const rows = longest.slice(0, 500).map(({ epoch, events, seq }) => ({
    seq,
    epoch,
    events,
    recordedAtMicros: 1_795_820_502_364_123n + BigInt(seq)
  }))
  const range = { stream, first: 1, last: 500 }
  const bytes = ArchiveFile.encode(range, rows)
  assert.deepStrictEqual(
    (ArchiveFile.decode(range, bytes) as ReadonlyArray<ArchiveFile.ArchivedRow>).map((row) => ({
      ...row,
      events: Uint8Array.from(row.events)
    })),
    rows.map((row) => ({ ...row, events: Uint8Array.from(row.events) }))
  )
  assert.isString(ArchiveFile.decode({ ...range, last: 499 }, bytes))
  assert.isString(ArchiveFile.decode(range, ArchiveFile.encode(range, rows.slice(1))))
  assert.throws(() => ArchiveFile.decode(range, bytes.with(bytes.length >> 1, bytes[bytes.length >> 1]! ^ 1)))
})

it.live("a full pass and an explanation after the archive equal those before it", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const directory = yield* temporary
    const before = yield* auditor(url)
    const { sql } = before
    yield* write(sql)
    assert.isNull(yield* before.round)
    yield* StoredMarks.store(sql, before.books, Reading.make(sql))
    const query = {
      accountId: AccountId.make([...before.books.traders.keys()][0]!),
      symbol: undefined,
      sinceMillis: 0
    }
    const explained = (lines: Array<Explanation.BalanceLine>) =>
      Explanation.of(sql, query, (line) => Effect.sync(() => lines.push(line)))
    const [linesBefore, linesAfter]: [Array<Explanation.BalanceLine>, Array<Explanation.BalanceLine>] = [[], []]
    yield* explained(linesBefore)

    yield* cover(sql)
    const archived = yield* Archive.run(sql, { directory, ...all })
    assert.strictEqual(archived.rows, archivable)
    assert.deepStrictEqual(yield* counted(sql), [longest.length - archivable, archivable + 1])
    // The test's snapshot and trade are not those of the venue.
    for (const table of ["snapshot", "snapshot_piece", "projection", "trade"]) yield* sql`delete from ${sql(table)}`

    yield* Effect.gen(function* () {
      const reading = yield* ArchivedReading.make(sql)
      const after = yield* auditor(url, () => reading)
      assert.isNull(yield* after.round)
      assert.strictEqual(after.books.markets.get(symbol)!.line.seq, head)
      assert.deepStrictEqual(
        after.books.markets.get(symbol)!.fold.positions.current,
        before.books.markets.get(symbol)!.fold.positions.current
      )
      // The marks of the archived rows were stored by the first auditor; the second one reads them again.
      yield* StoredMarks.store(sql, after.books, reading)
      assert.isNull(yield* after.round)
      yield* explained(linesAfter)
      assert.deepStrictEqual(linesAfter, linesBefore)
      assert.isAbove(linesAfter.length, 0)
    }).pipe(Effect.provideService(ArchivedReading.ArchivePlace, directory))

    const exit = yield* Effect.exit(explained([]))
    assert.isTrue(Exit.isFailure(exit))
    if (Exit.isFailure(exit)) assert.include(String(Cause.squash(exit.cause)), "set VENUE_ARCHIVE_DIR")
  })
)

it.live("the newest snapshot, the rows after it, and rows that a read table lacks stay in the journal", () =>
  Effect.gen(function* () {
    const { sql } = yield* auditor(yield* freshDatabase)
    const directory = yield* temporary
    yield* write(sql)
    yield* cover(sql, 1_100)
    assert.strictEqual((yield* Archive.run(sql, { directory, olderThanMillis: 86_400_000 })).rows, 0)
    assert.strictEqual((yield* Archive.run(sql, { directory, ...all })).rows, 1_000)
    yield* sql`update projection set seq = ${head}`
    yield* sql`delete from projection where position = ${`trading:${stream}`}`
    assert.strictEqual((yield* Archive.run(sql, { directory, ...all })).rows, 0)
    yield* sql`insert into projection (position, seq) values (${`trading:${stream}`}, ${head})`
    yield* sql`update snapshot set seq = 1501 where stream = ${stream}`
    assert.strictEqual((yield* Archive.run(sql, { directory, ...all })).rows, 500)
    assert.deepStrictEqual(yield* counted(sql), [longest.length - 1_500, 1_501])
  })
)

it.live("a new owner claims a stream with archived rows from its snapshot, and never replays a gap", () =>
  Effect.gen(function* () {
    const { sql } = yield* auditor(yield* freshDatabase)
    const directory = yield* temporary
    yield* write(sql)
    yield* cover(sql)
    yield* Archive.run(sql, { directory, ...all })
    yield* Effect.gen(function* () {
      const journal = yield* Journal
      const replayed: Array<number> = []
      const into = (canRestore: boolean) => ({
        restore: () => canRestore,
        replay: ({ seq }: { readonly seq: number }) => void replayed.push(seq)
      })
      const exit = yield* Effect.exit(journal.claim(stream, into(false), Effect.succeed(true)))
      assert.include(String(exit), `run: npm run archive -- --restore ${stream}`)
      assert.deepStrictEqual(replayed, [])
      const claimed = yield* journal.claim(stream, into(true), Effect.succeed(true))
      assert.deepStrictEqual([claimed.seq, claimed.epoch], [head + 1, 2])
      assert.deepStrictEqual(yield* journal.heads([stream]), [head + 1])
      const rows = yield* journal.read(stream, 0, 10)
      assert.strictEqual(rows[0]!.seq, archivable + 1)
      const gap = yield* Effect.flip(readNext(journal, stream, 0, 10))
      assert.include(String(gap.cause), `--restore ${stream}`)
      assert.deepStrictEqual(yield* readNext(journal, stream, archivable, 10), rows)
    }).pipe(
      Effect.provide(Layer.provide(Layer.fresh(Journal.layer), Layer.succeed(SqlClient.SqlClient)(sql))),
      Effect.scoped
    )
  })
)

it.live(
  "an interrupted archive continues, a damaged file stops it before a row is deleted, and a restore puts all rows back",
  () =>
    Effect.gen(function* () {
      const { sql } = yield* auditor(yield* freshDatabase)
      const directory = yield* temporary
      yield* write(sql)
      yield* cover(sql)
      const rowsBefore = yield* sql`
      select stream, seq, epoch, recorded_at, events from journal where stream = ${stream} order by seq`
      yield* Archive.run(sql, { directory, ...all })
      const [range] = yield* ArchiveTable.all(sql)
      const path = join(directory, ArchiveFile.nameOf(range!))
      const restored = yield* Archive.restore(sql, directory, stream)
      assert.strictEqual(restored, archivable)
      assert.deepStrictEqual(
        yield* sql`select stream, seq, epoch, recorded_at, events from journal where stream = ${stream} order by seq`,
        rowsBefore
      )

      // As after a restore that ended before it had put all rows back: the next run deletes them again.
      yield* Archive.run(sql, { directory, ...all })
      const [archived] = yield* ArchiveTable.all(sql)
      yield* ArchiveTable.setDeleted(sql, archived!, false)
      yield* sql`insert into journal (stream, seq, epoch, events) values (${stream}, ${archived!.last}, 1, '')`
      yield* Archive.run(sql, { directory, ...all })
      assert.deepStrictEqual(yield* counted(sql), [longest.length - archivable, archivable + 1])
      yield* Archive.restore(sql, directory, stream)

      // As after an interruption between the record of the file and the deletion of its rows.
      yield* ArchiveTable.add(sql, range!)
      const whole = readFileSync(path)
      writeFileSync(path, whole.subarray(0, whole.length - 1))
      const refused = yield* Effect.flip(Archive.run(sql, { directory, ...all }))
      assert.include(String(refused), "digest")
      assert.deepStrictEqual(yield* counted(sql), [longest.length, 1])
      writeFileSync(path, whole)
      assert.strictEqual((yield* Archive.run(sql, { directory, ...all })).rows, archivable - range!.last)
      assert.deepStrictEqual(yield* counted(sql), [longest.length - archivable, archivable + 1])
    })
)

it.live("a second archiver stops while the first one holds the lock", () =>
  Effect.gen(function* () {
    const { sql } = yield* auditor(yield* freshDatabase)
    yield* Archive.lock(sql)
    const error = yield* Effect.flip(Effect.scoped(Archive.lock(sql)))
    assert.include(error.message, "another archiver")
  })
)
