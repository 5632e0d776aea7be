/**
 * Audit round: adds up new journal rows and compares the sums with the tables for queries, the saved states and the
 * desks' reports.
 */
import { type Instrument, initialInstruments } from "@venue/domain/Instrument"
import type { RailAudit } from "@venue/storage/audit/RailAudits"
import { Listings } from "@venue/storage/listing/Listings"
import { Effect, identity } from "effect"
import { SqlClient } from "effect/sql"
import * as Books from "./Books.ts"
import * as Comparing from "./Comparing.ts"
import * as Confirming from "./Confirming.ts"
import * as Faults from "./Faults.ts"
import * as LiveAccounts from "./LiveAccounts.ts"
import * as NewReports from "./NewReports.ts"
import * as RailBooks from "./RailBooks.ts"
import * as Reading from "./Reading.ts"
import * as ReadingOn from "./ReadingOn.ts"
import * as Rereading from "./Rereading.ts"

export interface Audit {
  readonly books: Books.Books
  /** Audits all new rows and some of the earlier ones. Returns a fault that two reads confirmed, or null. */
  readonly round: Effect.Effect<string | null, unknown>
  /** Returns the rails as of the last audit. */
  readonly rails: () => ReadonlyArray<RailAudit>
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* on(sql, Reading.make(sql))
})

/** Returns an audit of the database that `reading` queries. */
export const on = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, reading: Reading.Reading) {
  const reports = yield* NewReports.make
  const listings = yield* Listings
  const books = Books.make()
  const readingOn = ReadingOn.make(books, reading)
  const comparing = Comparing.make(books, reading, readingOn)
  const rereading = Rereading.make(books, comparing, reading)
  let rails: ReadonlyArray<RailAudit> = []

  const first = Effect.gen(function* () {
    yield* reading.begin
    const instruments: ReadonlyArray<Instrument> = [...initialInstruments, ...(yield* listings.all)]
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
  return identity<Audit>({ books, round, rails: () => rails })
})
