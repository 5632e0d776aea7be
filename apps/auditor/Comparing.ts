/**
 * Compares the tables for queries and the saved states with the books, each up to the row that the table or state has
 * reached.
 */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Books, drop, symbolOf } from "./Books.ts"
import type { ComparedState } from "./Checkpoint.ts"
import * as EntryTable from "./EntryTable.ts"
import * as Faults from "./Faults.ts"
import * as Newest from "./Newest.ts"
import type * as Reading from "./Reading.ts"
import type { ReadingOn } from "./ReadingOn.ts"
import * as SavedStates from "./SavedStates.ts"
import type { RowPlace } from "./Stream.ts"
import * as TradeTable from "./TradeTable.ts"

export interface Comparing {
  /** Marks of compared rows, which are read again later. */
  readonly trades: Newest.Newest
  readonly entries: Newest.Newest
  readonly savedByStream: Map<string, ComparedState>
  /** Returns the row of each currently saved state, by stream. */
  readonly savedNow: () => ReadonlyMap<string, number>
  /** Returns the rows of the saved states that are due for comparison. */
  readonly dueRows: () => ReadonlyArray<RowPlace>
  /** Lists the saved states. Must run before their rows are read. */
  readonly findSaved: Effect.Effect<void, SqlError>
  readonly tables: Effect.Effect<void, SqlError>
  /** Compares the states saved since the last audit, and the states that differed in that audit. */
  readonly saved: Effect.Effect<void, SqlError>
}

export const make = (books: Books, reading: Reading.Reading, { streams }: ReadingOn): Comparing => {
  const trades = Newest.make()
  const entries = Newest.make()
  const savedByStream = new Map<string, ComparedState>()
  let savedNow = new Map<string, number>()
  let due: ReadonlyArray<RowPlace> = []

  const savedFinding = (stream: string, seq: number) =>
    Effect.map(reading.saved(stream, seq, symbolOf(stream) !== undefined), (state) =>
      SavedStates.findingOf(books, stream, seq, state)
    )
  /**
   * Compares a saved state again. The owner might have saved a newer state, so the rows up to that state are read
   * first.
   */
  const savedAgain = (stream: string): Faults.SecondRead =>
    Effect.gen(function* () {
      const now = (yield* reading.snapshots).find((snapshot) => snapshot.stream === stream)
      if (now === undefined) return undefined
      yield* streams([stream])
      return yield* savedFinding(stream, now.seq)
    })

  return {
    trades,
    entries,
    savedByStream,
    savedNow: () => savedNow,
    dueRows: () => due,
    findSaved: Effect.map(reading.snapshots, (snapshots) => {
      savedNow = new Map(snapshots.map(({ seq, stream }) => [stream, seq]))
      due = snapshots.filter(({ seq, stream }) => savedByStream.get(stream)?.seq !== seq)
    }),
    tables: Effect.gen(function* () {
      yield* TradeTable.compare(books, reading, trades)
      yield* EntryTable.compare(books, reading, entries)
      yield* EntryTable.compareSettlements(books, reading, entries)
      drop(books, "trade", trades)
      drop(books, "ledger_entry", entries)
    }),
    saved: Effect.gen(function* () {
      const hashes = yield* reading.savedHashes(due.map(({ stream }) => stream))
      for (const [index, { seq, stream }] of due.entries()) {
        const place = `saved state of ${stream}`
        const finding = yield* savedFinding(stream, seq)
        Faults.record(books.faults, place, finding, savedAgain(stream))
        // If the balances for a late state's row are no longer kept, the state is not compared, but its hash is
        // stored.
        const isLate = finding === Faults.notKnown && !Faults.isFound(books.faults, place)
        if (finding === undefined || isLate) savedByStream.set(stream, { seq, hash: hashes[index]! })
      }
    })
  }
}
