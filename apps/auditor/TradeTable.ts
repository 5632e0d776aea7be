/** Compares the trade table with the trades in the logs, up to the projected rows (I10). */
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Effect } from "effect"
import { add, type Books, type ExpectedTrade, type MarketBook, tradesOf } from "./Books.ts"
import * as Due from "./Due.ts"
import * as Faults from "./Faults.ts"
import * as Mark from "./Mark.ts"
import type * as Newest from "./Newest.ts"
import type * as Reading from "./Reading.ts"

export const compare = Effect.fnUntraced(function* (books: Books, reading: Reading.Reading, trades: Newest.Newest) {
  const pending = [...books.markets.values()].filter((book) => book.trades.length > 0)
  const due = yield* Due.of(
    reading,
    pending.map((book) => ({ book, position: `trading:${book.line.stream}`, expected: book.trades }))
  )
  const parts = due.flatMap(({ book, expected }) =>
    Array.from({ length: Math.ceil(expected.length / tradesAtOnce) }, (_, part) => ({
      book,
      expected: expected.slice(part * tradesAtOnce, (part + 1) * tradesAtOnce)
    }))
  )
  const hashes = yield* reading.rangeHashes("trade", parts.map(rangeOf))
  const wrong = new Set<MarketBook>()
  const compared = new Map<MarketBook, number>()
  parts.forEach(({ book, expected }, place) => {
    if (wrong.has(book)) return
    const { symbol } = book.fold.instrument
    const fault = faultOf(expected, hashes[place]!)
    Faults.record(books.faults, `trades of ${symbol}`, fault, secondRead(reading, book, expected))
    if (fault !== undefined) return void wrong.add(book)
    for (const { hash, number } of expected) add(books, "trade", trades, symbol, number, hash, 2)
    compared.set(book, (compared.get(book) ?? 0) + expected.length)
  })
  for (const [book, count] of compared) book.trades.splice(0, count)
})

const secondRead = (
  reading: Reading.Reading,
  book: MarketBook,
  expected: ReadonlyArray<ExpectedTrade>
): Faults.SecondRead =>
  Effect.gen(function* () {
    const rows = yield* Due.rowsOf(reading, book.line.stream, expected)
    const again = rows.flatMap(({ events, seq }) => tradesOf(MarketRecord.decode(events), seq))
    const [current] = yield* reading.rangeHashes("trade", [rangeOf({ book, expected })])
    return faultOf(again, current!)
  })

const faultOf = (expected: ReadonlyArray<ExpectedTrade>, { count, hash }: Reading.RangeHash): string | undefined => {
  const wanted = expected.reduce((all, trade) => all ^ trade.hash, Mark.none)
  if (count === 2 * expected.length && hash === wanted) return undefined
  return `trades ${expected[0]?.number} to ${expected.at(-1)?.number} differ from the journal`
}

const rangeOf = ({
  book,
  expected
}: {
  readonly book: MarketBook
  readonly expected: ReadonlyArray<ExpectedTrade>
}): Reading.Range => ({
  name: book.fold.instrument.symbol,
  first: expected[0]!.number,
  last: expected.at(-1)!.number
})

/** Trades per comparison, which also bounds the journal rows of a second read. */
const tradesAtOnce = 10_000
