/** Applies the new rows of the journal, each stream in its order, and forgets balances of long ago. */
import type { Row } from "@venue/journal/Journal"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Books from "./Books.ts"
import * as Faults from "./Faults.ts"
import type * as Reading from "./Reading.ts"
import type { Line } from "./Stream.ts"
import * as Versions from "./Versions.ts"

/** A row of a stream that a saved state or a desk names. */
type Named = readonly [stream: string, seq: number]

export interface ReadingOn {
  /** Reads every stream to its end in the snapshot. */
  readonly all: (named: Iterable<Named>) => Effect.Effect<void, SqlError>
  /** Reads these streams to their ends by the primary key, as the second read of a difference; needs no cursor. */
  readonly streams: (streams: Iterable<string>) => Effect.Effect<void, SqlError>
}

export const make = (books: Books.Books, reading: Reading.Reading): ReadingOn => {
  let cursor: Reading.Cursor | undefined
  const past = makePast(books)

  /** Markets are few, so each is asked for rows; traders are found by the transactions that wrote theirs. */
  const linesWithMore = Effect.fnUntraced(function* (since: Reading.Cursor | undefined, named: Iterable<Named>) {
    const found = yield* reading.tradersSince(since)
    const behind = [...named].flatMap(([stream, seq]) => {
      const line = Books.bookOf(books, stream)?.line
      return line === undefined || seq > line.seq ? [stream] : []
    })
    return [
      ...Array.from(books.markets.values(), ({ line }) => line),
      ...tradersOf(books, [...found, ...behind]).map(({ line }) => line)
    ]
  })

  /** Applies a page of each stream. Returns the lines that have more. */
  const page = Effect.fnUntraced(function* (lines: ReadonlyArray<Line>, nowMillis: number, take: Take) {
    const of = lines.map(({ seq, stream }) => ({ name: stream, after: seq }))
    const rows = Map.groupBy(yield* reading.rows(of, rowsAtOnce), ({ stream }) => stream)
    return lines.filter((line) => {
      const found = rows.get(line.stream) ?? []
      const isFollowed = found.every(take)
      if (found.length === rowsAtOnce) past.forgetAll(line)
      else if (found.length > 0) past.stands(line, nowMillis)
      return isFollowed && found.length === rowsAtOnce
    })
  })
  const pages = Effect.fnUntraced(function* (lines: ReadonlyArray<Line>, take: Take) {
    const nowMillis = yield* Clock.currentTimeMillis
    let wanted = lines
    while (wanted.length > 0) {
      const more: Array<Line> = []
      for (let start = 0; start < wanted.length; start += streamsAtOnce) {
        more.push(...(yield* page(wanted.slice(start, start + streamsAtOnce), nowMillis, take)))
      }
      wanted = more
    }
    past.forget(nowMillis)
  })

  const apply = (row: Row): true => {
    const fault = Books.take(books, row)
    if (fault !== undefined) Faults.looked(books.faults, `events of ${row.stream}`, fault, sameRow(row, fault))
    return true
  }
  /** A row that does not follow waits for the second read, as a read that left out rows would look the same. */
  const takeFollowing: Take = (row) => {
    const place = `journal ${row.stream}`
    const fault = Books.lineFault(books, row)
    if (fault === undefined || books.faults.confirmed.has(place)) return apply(row)
    Faults.looked(books.faults, place, fault, readAnyway(row.stream))
    return false
  }
  const readAnyway = Effect.fnUntraced(function* (stream: string) {
    let fault: string | undefined
    yield* pages([Books.bookOf(books, stream)!.line], (row) => {
      fault ??= Books.lineFault(books, row)
      return apply(row)
    })
    return fault
  })
  /** What is wrong with the events of a row is so again where the row is what was read. */
  const sameRow = (row: Row, fault: string): Faults.SecondRead =>
    Effect.map(reading.rowsAt([row]), ([again]) => {
      if (again === undefined) return `row ${row.seq} is gone`
      const isSame = again.epoch === row.epoch && Buffer.compare(again.events, row.events) === 0
      return isSame ? fault : `row ${row.seq} is not what was read before`
    })

  return {
    all: Effect.fnUntraced(function* (named: Iterable<Named>) {
      const now = yield* reading.cursor
      const isSameServer = cursor !== undefined && now.startedAt === cursor.startedAt && now.end >= cursor.end
      yield* pages(yield* linesWithMore(isSameServer ? cursor : undefined, named), takeFollowing)
      // Only now: an audit that fails half way is repeated from where the last whole one was.
      cursor = now
    }),
    streams: Effect.fnUntraced(function* (streams: Iterable<string>) {
      const markets = [...books.markets.values()].filter(({ line }) => new Set(streams).has(line.stream))
      const lines = [...markets, ...tradersOf(books, streams)].map(({ line }) => line)
      yield* pages(lines, takeFollowing)
    })
  }
}

/** Applies a row. Returns false where the rows after it are not to be applied. */
type Take = (row: Row) => boolean

const tradersOf = (books: Books.Books, streams: Iterable<string>): ReadonlyArray<Books.TraderBook> =>
  [...new Set(streams)].flatMap((stream) => {
    const userId = Books.userOf(stream)
    return userId === undefined ? [] : [Books.trader(books, userId)]
  })

/** Nobody asks for balances from before the last half minute, except for a saved state that is not compared yet. */
const makePast = (books: Books.Books) => {
  /** Where streams that have moved stood at times, the oldest first. */
  const stood = new Map<string, Array<readonly [atMillis: number, seq: number]>>()
  const forgetTo = (stream: string, seq: number) => {
    const book = Books.bookOf(books, stream)!
    const wanted = books.wanted.get(stream) ?? Infinity
    const knownFrom = Math.min(seq, book.line.writtenSeq, wanted)
    if ("trades" in book) {
      Versions.forget(book.fold.positions, knownFrom)
      Versions.forget(book.fold.house, knownFrom)
    } else Versions.forget(book.fold.accounts, knownFrom)
    return wanted >= seq
  }
  return {
    /** So much more is to come that nobody asks for what was read. */
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

/** A report, or a saved state, is of rows no older than this as a rule. */
const keptMillis = 30_000
const streamsAtOnce = 256
const rowsAtOnce = 512
