/** All rows of the journal that are new, in the order of their streams; what was so long ago is forgotten. */
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Books from "./Books.ts"
import type * as Reading from "./Reading.ts"
import type { Line } from "./Stream.ts"
import * as Versions from "./Versions.ts"

/** Of a stream somebody knows this row. */
type Known = readonly [stream: string, seq: number]

/** Goes on to the end of every stream, as the snapshot has it. */
export const make = (
  books: Books.Books,
  reading: Reading.Reading,
  /** A saved state of this row is still to be looked at. */
  wantedFrom: (stream: string) => number
): ((known: Iterable<Known>) => Effect.Effect<void, SqlError>) => {
  /** Pages that the journal had at times, the oldest first: a row from before them may have been in a transaction still. */
  let pages: Array<readonly [atMillis: number, pages: number]> = []
  const past = makePast(books, wantedFrom)

  /**
   * Which streams have more is asked of markets, since they are few, and of traders by the pages they are on. A row may also
   * stand where an append that was broken off has left room, on any page: the streams of those are known by who knows the row.
   */
  const find = Effect.fnUntraced(function* (known: Iterable<Known>, nowMillis: number) {
    const sure = pages.findLast(([atMillis]) => atMillis < nowMillis - inFlightMillis)
    // The last page that there was by then may have had room.
    const found = yield* reading.tradersFrom(Math.max(0, (sure?.[1] ?? 0) - 1))
    // A table that was rewritten has fewer, and its rows stand elsewhere.
    if (found.pages < (pages.at(-1)?.[1] ?? 0)) pages = []
    else pages = pages.filter((page) => page === sure || page[0] >= nowMillis - inFlightMillis)
    pages.push([nowMillis, found.pages])
    const behind = [...known].flatMap(([stream, seq]) =>
      seq > (Books.bookOf(books, stream)?.line.seq ?? 0) ? [stream] : []
    )
    const users = [...new Set([...found.streams, ...behind])].flatMap((stream) => Books.userOf(stream) ?? [])
    return [
      ...Array.from(books.markets.values(), ({ line }) => line),
      ...users.map((userId) => Books.trader(books, userId).line)
    ]
  })
  /** Answers those that have more. */
  const page = Effect.fnUntraced(function* (lines: ReadonlyArray<Line>, nowMillis: number) {
    const of = lines.map(({ seq, stream }) => ({ name: stream, after: seq }))
    const counts = new Map<string, number>()
    for (const row of yield* reading.rows(of, rowsAtOnce)) {
      counts.set(row.stream, (counts.get(row.stream) ?? 0) + 1)
      Books.take(books, row)
    }
    return lines.filter((line) => {
      const count = counts.get(line.stream) ?? 0
      if (count === rowsAtOnce) past.forgetAll(line)
      else if (count > 0) past.stands(line, nowMillis)
      return count === rowsAtOnce
    })
  })

  return Effect.fnUntraced(function* (known: Iterable<Known>) {
    const nowMillis = yield* Clock.currentTimeMillis
    let wanted = yield* find(known, nowMillis)
    while (wanted.length > 0) {
      const more: Array<Line> = []
      for (let start = 0; start < wanted.length; start += streamsAtOnce) {
        more.push(...(yield* page(wanted.slice(start, start + streamsAtOnce), nowMillis)))
      }
      wanted = more
    }
    past.forget(nowMillis)
  })
}

/** What was so before the last half minute is asked by nobody, but for a saved state that was not looked at yet. */
const makePast = (books: Books.Books, wantedFrom: (stream: string) => number) => {
  /** Where streams that have moved stood at times, the oldest first. */
  const stood = new Map<string, Array<readonly [atMillis: number, seq: number]>>()
  const forgetTo = (stream: string, seq: number) => {
    const book = Books.bookOf(books, stream)!
    const knownFrom = Math.min(seq, wantedFrom(stream))
    if ("trades" in book) {
      Versions.forget(book.fold.positions, knownFrom)
      Versions.forget(book.fold.house, knownFrom)
    } else Versions.forget(book.fold.accounts, knownFrom)
    return knownFrom === seq
  }
  return {
    /** There is so much more of it that nobody asks for what was read. */
    forgetAll: ({ seq, stream }: Line) => void forgetTo(stream, seq),
    stands: ({ seq, stream }: Line, atMillis: number) => {
      const known = stood.get(stream)
      if (known === undefined) stood.set(stream, [[atMillis, seq]])
      else known.push([atMillis, seq])
    },
    forget: (nowMillis: number) => {
      for (const [stream, seqs] of stood) {
        while (seqs.length > 1 && seqs[1]![0] < nowMillis - keptMillis) seqs.shift()
        const [atMillis, seq] = seqs[0]!
        if (atMillis < nowMillis - keptMillis && forgetTo(stream, seq) && seqs.length === 1) stood.delete(stream)
      }
    }
  }
}

/** A statement that appends takes no longer than this, or its owner has given it up. */
const inFlightMillis = 15_000
/** A report, or a saved state, is of rows no older than this as a rule. */
const keptMillis = 30_000
const streamsAtOnce = 256
const rowsAtOnce = 512
