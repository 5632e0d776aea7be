/** What the tables and the saved states say is held against the books as soon as they have come as far. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import {
  add,
  type Books,
  close,
  drop,
  type ExpectedEntries,
  type MarketBook,
  symbolOf,
  type TraderBook
} from "./Books.ts"
import * as Entries from "./Entries.ts"
import * as Faults from "./Faults.ts"
import * as Mark from "./Mark.ts"
import * as Newest from "./Newest.ts"
import type * as Reading from "./Reading.ts"
import * as SavedStates from "./SavedStates.ts"

/** A saved state that was looked at. */
interface Saved {
  readonly seq: number
  readonly hash: bigint
}

export interface Comparing {
  /** What was compared once, to be looked at again. */
  readonly trades: Newest.Newest
  readonly entries: Newest.Newest
  readonly savedByStream: ReadonlyMap<string, Saved>
  /** The row of each state that is saved now. */
  readonly savedNow: () => ReadonlyMap<string, number>
  /** Learns which states are saved, before their rows are read. */
  readonly findSaved: Effect.Effect<void, SqlError>
  readonly tables: Effect.Effect<void, SqlError>
  /** States that were saved since the last time, and those that were wrong then. */
  readonly saved: Effect.Effect<void, SqlError>
  /** A state of this row is still to be looked at. */
  readonly wantedFrom: (stream: string) => number
}

export const make = (books: Books, reading: Reading.Reading): Comparing => {
  const trades = Newest.make()
  const entries = Newest.make()
  const savedByStream = new Map<string, Saved>()
  let savedNow = new Map<string, number>()
  let wanted = new Map<string, number>()

  return {
    trades,
    entries,
    savedByStream,
    savedNow: () => savedNow,
    findSaved: Effect.map(reading.snapshots, (snapshots) => {
      savedNow = new Map(snapshots.map(({ seq, stream }) => [stream, seq]))
      wanted = new Map([...savedNow].filter(([stream, seq]) => savedByStream.get(stream)?.seq !== seq))
    }),
    tables: Effect.gen(function* () {
      yield* compareTrades(books, reading, trades)
      yield* compareEntries(books, reading, entries)
      yield* compareSettlements(books, reading, entries)
      drop(books, "trade", trades)
      drop(books, "ledger_entry", entries)
    }),
    saved: Effect.gen(function* () {
      const hashes = yield* reading.savedHashes([...wanted.keys()])
      for (const [place, [stream, seq]] of [...wanted].entries()) {
        const state = yield* reading.saved(stream, seq, symbolOf(stream) !== undefined)
        const fault = SavedStates.faultOf(books, stream, seq, state)
        Faults.looked(books.faults, `saved state of ${stream}`, fault)
        if (fault === undefined) savedByStream.set(stream, { seq, hash: hashes[place]! })
      }
      wanted = new Map()
    }),
    wantedFrom: (stream) => wanted.get(stream) ?? Infinity
  }
}

const compareTrades = (books: Books, reading: Reading.Reading, trades: Newest.Newest) =>
  Effect.gen(function* () {
    const pending = [...books.markets.values()].filter((book) => book.trades.length > 0)
    const due = yield* dueOf(
      reading,
      pending.map((book) => ({ book, position: `trading:${book.line.stream}`, expected: book.trades }))
    )
    const found = yield* reading.found(
      "trade",
      due.map(({ book, expected }) => ({
        name: book.fold.instrument.symbol,
        first: expected[0]!.number,
        last: expected.at(-1)!.number
      }))
    )
    due.forEach(({ book, expected }, place) => {
      const { symbol } = book.fold.instrument
      const hash = expected.reduce((all, trade) => all ^ trade.hash, Mark.none)
      const { count, hash: is } = found[place]!
      const isSo = count === 2 * expected.length && is === hash
      const said = `trades ${expected[0]!.number} to ${expected.at(-1)!.number} are not what the journal says`
      Faults.looked(books.faults, `trades of ${symbol}`, isSo ? undefined : said)
      if (!isSo) return
      for (const { hash, number } of expected) add(books, "trade", trades, symbol, number, hash, 2)
      book.trades.splice(0, expected.length)
    })
  })

const compareEntries = (books: Books, reading: Reading.Reading, entries: Newest.Newest) =>
  Effect.gen(function* () {
    const all: ReadonlyArray<readonly [MarketBook | TraderBook, string]> = [
      ...Array.from(books.markets.values(), (book) => [book, "trading:"] as const),
      ...Array.from(books.traders.values(), (book) => [book, "ledger:"] as const)
    ]
    const pending = all.filter(([book]) => book.entries.length > 0)
    const due = yield* dueOf(
      reading,
      pending.map(([book, group]) => ({ book, position: group + book.line.stream, expected: book.entries }))
    )
    for (let start = 0; start < due.length; start += streamsAtOnce) {
      const part = due.slice(start, start + streamsAtOnce)
      const found = yield* reading.entries(part.map(({ book, expected }) => rangeOf(book.line.stream, expected)))
      for (const { book, expected } of part) {
        const { stream } = book.line
        const rows = found.get(stream) ?? []
        const fault = Entries.faultOf(expected, rows)
        Faults.looked(books.faults, `entries of ${stream}`, fault)
        if (fault !== undefined) continue
        for (const { hash, seq } of rows) add(books, "ledger_entry", entries, stream, seq, hash)
        book.entries.splice(0, expected.length)
      }
    }
  })

/** What a withdrawal wrote that has arrived: no row of a journal says so, but one says what it was of. */
const compareSettlements = (books: Books, reading: Reading.Reading, entries: Newest.Newest) =>
  Effect.gen(function* () {
    const ids = [...books.inFlight.keys()]
    for (let start = 0; start < ids.length; start += streamsAtOnce) {
      const arrived = yield* reading.arrived(ids.slice(start, start + streamsAtOnce))
      const ranges = arrived.map(({ step, withdrawalId }) => ({
        name: settlementOf(withdrawalId),
        first: 0,
        last: step
      }))
      const found = yield* reading.entries(ranges)
      for (const { step, withdrawalId } of arrived) {
        const stream = settlementOf(withdrawalId)
        const rows = found.get(stream) ?? []
        const fault = Entries.settlementFaultOf(books.inFlight.get(withdrawalId)!, step, rows)
        Faults.looked(books.faults, `entries of ${stream}`, fault)
        if (fault !== undefined) continue
        for (const { hash, seq } of rows) add(books, "ledger_entry", entries, stream, seq, hash)
        close(books, "ledger_entry", entries, stream)
        books.inFlight.delete(withdrawalId)
      }
    }
  })

const settlementOf = (withdrawalId: string): string => `withdrawal/${withdrawalId}`

/** What the read tables have by now, of what they are to have: a row that is committed and not there yet is no difference. */
const dueOf = <Book, Expected extends { readonly seq: number }>(
  reading: Reading.Reading,
  pending: ReadonlyArray<{
    readonly book: Book
    readonly position: string
    readonly expected: ReadonlyArray<Expected>
  }>
) =>
  Effect.map(reading.projected(pending.map(({ position }) => position)), (projected) =>
    pending.flatMap(({ book, expected, position }) => {
      const upTo = projected.get(position) ?? 0
      const last = expected.findLastIndex(({ seq }) => seq <= upTo)
      return last < 0 ? [] : [{ book, expected: expected.slice(0, last + 1) }]
    })
  )

const rangeOf = (name: string, expected: ReadonlyArray<ExpectedEntries>): Reading.Range => ({
  name,
  first: expected[0]!.seq,
  last: expected.at(-1)!.seq
})

const streamsAtOnce = 1_000
