/** One audit after the other: what is new is added up, and held against what the tables, the saved states and the desks say. */
import { type Instrument, starters } from "@venue/domain/Instrument"
import { traderStream } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import { DeskReports } from "@venue/storage/audit/DeskReports"
import type { RailAudit } from "@venue/storage/audit/RailAudits"
import { Listings } from "@venue/storage/listing/Listings"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Books from "./Books.ts"
import * as Comparing from "./Comparing.ts"
import * as Faults from "./Faults.ts"
import * as LiveAccounts from "./LiveAccounts.ts"
import * as RailBooks from "./RailBooks.ts"
import * as Reading from "./Reading.ts"
import * as ReadingOn from "./ReadingOn.ts"
import * as Rereading from "./Rereading.ts"

export interface Audit {
  readonly books: Books.Books
  /** Looks at all that is new, and at a part of what was read before. Answers what does not add up. */
  readonly round: Effect.Effect<string | null, unknown>
  /** The rails as the last look found them. */
  readonly rails: () => ReadonlyArray<RailAudit>
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const reports = yield* DeskReports
  const listings = yield* Listings
  const books = Books.make()
  const reading = Reading.make(sql)
  const comparing = Comparing.make(books, reading)
  const rereading = Rereading.make(books, comparing, reading)
  const readOn = ReadingOn.make(books, reading, comparing.wantedFrom)
  let reportedMillis = 0
  let rails: ReadonlyArray<RailAudit> = []

  const round = Effect.gen(function* () {
    yield* reading.begin
    const instruments: ReadonlyArray<Instrument> = [...starters, ...(yield* listings.all)]
    for (const instrument of instruments) Books.market(books, instrument)
    yield* comparing.findSaved
    const told = yield* reports.since(reportedMillis)
    const atDesks = told.flatMap(({ traders }) =>
      traders.map(({ seq, userId }) => [traderStream(UserId.make(userId)), seq] as const)
    )
    yield* readOn([...comparing.savedNow(), ...atDesks])
    for (const report of told) {
      reportedMillis = Math.max(reportedMillis, report.reportedAtMillis)
      for (const trader of report.traders) LiveAccounts.compare(books, trader)
    }
    yield* comparing.tables
    yield* comparing.saved
    yield* rereading.some
    rails = yield* RailBooks.read(sql, books.deposited)
    Books.drop(books, "journal", books.journal)
    return Faults.told(books.faults)
  })
  return { books, round: sql.withTransaction(round), rails: () => rails } satisfies Audit as Audit
})
