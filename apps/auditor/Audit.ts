/**
 * Audit round: adds up new journal rows and compares the sums with the tables for queries, the saved states and the
 * desks' reports.
 */
import { type Instrument, initialInstruments } from "@venue/domain/Instrument"
import type { RailAudit } from "@venue/storage/audit/RailAudits"
import { Listings } from "@venue/storage/listing/Listings"
import { Effect, identity } from "effect"
import { SqlClient } from "effect/sql"
import * as ArchivedReading from "./ArchivedReading.ts"
import * as Books from "./Books.ts"
import * as Checkpoint from "./Checkpoint.ts"
import * as Comparing from "./Comparing.ts"
import * as Confirming from "./Confirming.ts"
import * as Faults from "./Faults.ts"
import * as LiveAccounts from "./LiveAccounts.ts"
import * as NewReports from "./NewReports.ts"
import * as RailBooks from "./RailBooks.ts"
import type * as Reading from "./Reading.ts"
import * as ReadingOn from "./ReadingOn.ts"
import * as Rereading from "./Rereading.ts"

export interface Audit {
  readonly books: Books.Books
  readonly reading: Reading.Reading
  /** Audits all new rows and some of the earlier ones. Returns a fault that two reads confirmed, or null. */
  readonly round: Effect.Effect<string | null, unknown>
  /** Returns the rails as of the last audit. */
  readonly rails: () => ReadonlyArray<RailAudit>
  /** Returns the state after the last audit, or undefined while a difference or an unstored mark exists. */
  readonly checkpoint: () => Uint8Array | undefined
}

/** Returns an audit that starts from a checkpoint, or from the first row of every stream without one. */
export const make = Effect.fnUntraced(function* (checkpoint?: Uint8Array) {
  const sql = yield* SqlClient.SqlClient
  return yield* on(sql, yield* ArchivedReading.make(sql), checkpoint)
})

/** Returns an audit of the database that `reading` queries. */
export const on = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  reading: Reading.Reading,
  checkpoint?: Uint8Array
) {
  const reports = yield* NewReports.make
  const listings = yield* Listings
  const books = Books.make()
  const readingOn = ReadingOn.make(books, reading)
  const comparing = Comparing.make(books, reading, readingOn)
  const rereading = Rereading.make(books, comparing, reading)
  let rails: ReadonlyArray<RailAudit> = []
  const listed = Effect.map(listings.all, (more): ReadonlyArray<Instrument> => [...initialInstruments, ...more])
  const { entries, savedByStream, trades } = comparing
  const state = { books, trades, entries, savedByStream }

  if (checkpoint !== undefined) {
    const { cursor, lastOlder } = Checkpoint.restore(checkpoint, state, yield* listed)
    readingOn.resume(cursor)
    rereading.resume(lastOlder)
  }

  const first = Effect.gen(function* () {
    yield* reading.begin
    const instruments = yield* listed
    for (const instrument of instruments) Books.market(books, instrument)
    yield* comparing.findSaved
    const traders = yield* reports.read
    const rows = [...comparing.dueRows(), ...traders.flatMap(LiveAccounts.rowsOf)]
    Books.need(books, [...rows, ...Faults.neededRows(books.faults)])
    yield* readingOn.all(rows)
    for (const trader of traders) LiveAccounts.compare(books, trader, readingOn)
    yield* comparing.tables
    yield* comparing.saved
    yield* rereading.some
    rails = yield* RailBooks.read(sql, books.deposited)
    Books.drop(books, "journal", books.journal)
  })
  const second = Effect.andThen(reading.begin, Confirming.secondReads(books.faults))
  const round = Effect.gen(function* () {
    yield* sql.withTransaction(first)
    if (books.faults.suspected.size > 0) yield* sql.withTransaction(second)
    reports.compared()
    return Faults.summary(books.faults)
  }).pipe(Effect.onError(() => Effect.sync(readingOn.forgetCursor)))
  const { confirmed, suspected } = books.faults
  return identity<Audit>({
    books,
    reading,
    round,
    rails: () => rails,
    checkpoint: () =>
      confirmed.size + suspected.size + books.complete.length > 0
        ? undefined
        : Checkpoint.encode({ ...state, lastOlder: rereading.lastOlder(), cursor: readingOn.cursor() })
  })
})
