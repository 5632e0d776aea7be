/**
 * Compares the ledger entries with the amounts of journal rows and with the debits of settled withdrawals (I9, I10).
 */
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Effect } from "effect"
import {
  add,
  type Books,
  close,
  debitOf,
  type InFlight,
  type MarketBook,
  marketMoves,
  type TraderBook
} from "./Books.ts"
import * as Due from "./Due.ts"
import * as Entries from "./Entries.ts"
import * as Faults from "./Faults.ts"
import type * as Newest from "./Newest.ts"
import type * as Reading from "./Reading.ts"
import * as TraderFold from "./TraderFold.ts"

export const compare = Effect.fnUntraced(function* (books: Books, reading: Reading.Reading, entries: Newest.Newest) {
  const all: ReadonlyArray<readonly [MarketBook | TraderBook, string]> = [
    ...Array.from(books.markets.values(), (book) => [book, "trading:"] as const),
    ...Array.from(books.traders.values(), (book) => [book, "ledger:"] as const)
  ]
  const pending = all.filter(([book]) => book.entries.length > 0)
  const due = yield* Due.of(
    reading,
    pending.map(([book, group]) => ({ book, position: group + book.line.stream, expected: book.entries }))
  )
  for (let start = 0; start < due.length; start += streamsAtOnce) {
    const part = due.slice(start, start + streamsAtOnce)
    const byStream = yield* reading.entries(part.map(({ book, expected }) => rangeOf(book.line.stream, expected)))
    for (const { book, expected } of part) {
      const { stream } = book.line
      const rows = byStream.get(stream) ?? []
      const fault = Entries.faultOf(expected, rows)
      Faults.record(books.faults, `entries of ${stream}`, fault, secondRead(reading, book, expected))
      if (fault !== undefined) continue
      for (const { hash, seq } of rows) add(books, "ledger_entry", entries, stream, seq, hash)
      book.entries.splice(0, expected.length)
    }
  }
})

/**
 * Compares settled withdrawals' entries with their debits, because the journal contains the debit but not the
 * settlement.
 */
export const compareSettlements = Effect.fnUntraced(function* (
  books: Books,
  reading: Reading.Reading,
  entries: Newest.Newest
) {
  const ids = [...books.inFlight.keys()]
  for (let start = 0; start < ids.length; start += streamsAtOnce) {
    for (const { fault, rows, withdrawalId } of yield* settlements(
      reading,
      books,
      ids.slice(start, start + streamsAtOnce)
    )) {
      const stream = settlementOf(withdrawalId)
      const inFlight = books.inFlight.get(withdrawalId)!
      Faults.record(books.faults, `entries of ${stream}`, fault, arrivedAgain(reading, withdrawalId, inFlight))
      if (fault !== undefined) continue
      for (const { hash, seq } of rows) add(books, "ledger_entry", entries, stream, seq, hash)
      close(books, "ledger_entry", entries, stream)
      books.inFlight.delete(withdrawalId)
    }
  }
})

const secondRead = (
  reading: Reading.Reading,
  book: MarketBook | TraderBook,
  expected: ReadonlyArray<Entries.ExpectedEntries>
): Faults.SecondRead =>
  Effect.gen(function* () {
    const { stream } = book.line
    const rows = yield* Due.rowsOf(reading, stream, expected)
    const again = rows.map(({ events, seq }) => ({ seq, moves: movesOf(book, events) }))
    const byStream = yield* reading.entries([rangeOf(stream, expected)])
    return Entries.faultOf(again, byStream.get(stream) ?? [])
  })

const movesOf = (book: MarketBook | TraderBook, events: Uint8Array): ReadonlyMap<string, bigint> =>
  "trades" in book
    ? marketMoves(book.fold.instrument.symbol, MarketRecord.decode(events))
    : TraderFold.moves(book.fold.userId, TraderRecord.decode(events))

const settlements = Effect.fnUntraced(function* (
  reading: Reading.Reading,
  { inFlight }: { readonly inFlight: ReadonlyMap<string, Entries.Debit> },
  withdrawalIds: ReadonlyArray<string>
) {
  const arrived = yield* reading.arrived(withdrawalIds)
  const byStream = yield* reading.entries(
    arrived.map(({ step, withdrawalId }) => ({ name: settlementOf(withdrawalId), first: 0, last: step }))
  )
  return arrived.map(({ step, withdrawalId }) => {
    const rows = byStream.get(settlementOf(withdrawalId)) ?? []
    return { withdrawalId, rows, fault: Entries.settlementFaultOf(inFlight.get(withdrawalId)!, step, rows) }
  })
})

const arrivedAgain = (reading: Reading.Reading, withdrawalId: string, place: InFlight): Faults.SecondRead =>
  Effect.gen(function* () {
    const [row] = yield* reading.rowsAt([place])
    const accepted = (row === undefined ? [] : TraderRecord.decode(row.events)).find(
      (event) => event._tag === "WithdrawalAccepted" && event.withdrawalId === withdrawalId
    )
    if (accepted?._tag !== "WithdrawalAccepted")
      return `row ${place.seq} of ${place.stream} does not debit the withdrawal`
    const inFlight = new Map([[withdrawalId, debitOf(accepted)]])
    const [settlement] = yield* settlements(reading, { inFlight }, [withdrawalId])
    return settlement?.fault
  })

const settlementOf = (withdrawalId: string): string => `withdrawal/${withdrawalId}`

const rangeOf = (name: string, expected: ReadonlyArray<Entries.ExpectedEntries>): Reading.Range => ({
  name,
  first: expected[0]!.seq,
  last: expected.at(-1)!.seq
})

const streamsAtOnce = 1_000
