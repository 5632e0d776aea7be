/** Applies the journal's new rows, each stream in order, and forgets old balances. */
import type { Row } from "@venue/journal/Journal"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Books from "./Books.ts"
import * as Faults from "./Faults.ts"
import * as Past from "./Past.ts"
import type * as Reading from "./Reading.ts"
import type { Line, RowPlace } from "./Stream.ts"

export interface ReadingOn {
  /** Reads every stream to its end in the snapshot, including streams whose `named` rows are not read yet. */
  readonly all: (named: Iterable<RowPlace>) => Effect.Effect<void, SqlError>
  /** Reads these streams to their ends by the primary key, without a cursor. A difference's second read uses this. */
  readonly streams: (streams: Iterable<string>) => Effect.Effect<void, SqlError>
  /**
   * Makes the next read list all streams by the primary key. A crash recovery makes a round fail, and afterwards the
   * database might assign the lost transactions' ids again.
   */
  readonly forgetCursor: () => void
  readonly cursor: () => Reading.Cursor | undefined
  /** Continues behind a checkpoint's cursor. */
  readonly resume: (cursor: Reading.Cursor | undefined) => void
}

export const make = (books: Books.Books, reading: Reading.Reading): ReadingOn => {
  let cursor: Reading.Cursor | undefined
  const past = Past.make(books)
  /** Whether all rows were read once. The first read keeps only the needed balances. */
  let hasReadAll = false

  /** Reads every market, because markets are few. Selects traders by the transactions that wrote their rows. */
  const linesWithMore = Effect.fnUntraced(function* (since: Reading.Cursor | undefined, named: Iterable<RowPlace>) {
    const changed = yield* reading.tradersSince(since)
    const behind = [...named].flatMap(({ seq, stream }) => {
      const line = Books.bookOf(books, stream)?.line
      return line === undefined || seq > line.seq ? [stream] : []
    })
    return [
      ...Array.from(books.markets.values(), ({ line }) => line),
      ...tradersOf(books, [...changed, ...behind]).map(({ line }) => line)
    ]
  })

  /** Applies a page of each stream. Returns the streams that have more rows. */
  const page = Effect.fnUntraced(function* (lines: ReadonlyArray<Line>, nowMillis: number, take: Take) {
    const of = lines.map(({ seq, stream }) => ({ name: stream, after: seq }))
    const rows = Map.groupBy(yield* reading.rows(of, rowsAtOnce), ({ stream }) => stream)
    return lines.filter((line) => {
      const next = rows.get(line.stream) ?? []
      const isFollowed = next.every(take)
      if (next.length === rowsAtOnce) past.forgetOld(line, hasReadAll)
      if (next.length > 0) past.stands(line, nowMillis)
      return isFollowed && next.length === rowsAtOnce
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
    if (fault !== undefined) Faults.record(books.faults, `events of ${row.stream}`, fault, sameRow(reading, row, fault))
    return true
  }
  /**
   * Leaves a row that does not follow the last one to the second read, because a read that missed rows looks the
   * same.
   */
  const takeFollowing: Take = (row) => {
    const place = `journal ${row.stream}`
    const fault = Books.lineFault(books, row)
    if (fault === undefined || books.faults.confirmed.has(place)) return apply(row)
    Faults.record(books.faults, place, fault, readAnyway(row.stream))
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

  return {
    all: Effect.fnUntraced(function* (named: Iterable<RowPlace>) {
      const now = yield* reading.cursor
      const isSameServer = cursor !== undefined && now.startedAt === cursor.startedAt && now.end >= cursor.end
      yield* pages(yield* linesWithMore(isSameServer ? cursor : undefined, named), takeFollowing)
      cursor = now
      hasReadAll = true
    }),
    forgetCursor: () => {
      cursor = undefined
    },
    cursor: () => cursor,
    resume: (from) => {
      cursor = from
    },
    streams: Effect.fnUntraced(function* (streams: Iterable<string>) {
      const markets = [...books.markets.values()].filter(({ line }) => new Set(streams).has(line.stream))
      const lines = [...markets, ...tradersOf(books, streams)].map(({ line }) => line)
      yield* pages(lines, takeFollowing)
    })
  }
}

/** Reads a row again. Confirms the fault if the bytes are the same. */
const sameRow = (reading: Reading.Reading, row: Row, fault: string): Faults.SecondRead =>
  Effect.map(reading.rowsAt([row]), ([again]) => {
    if (again === undefined) return `row ${row.seq} no longer exists`
    const isSame = again.epoch === row.epoch && Buffer.compare(again.events, row.events) === 0
    return isSame ? fault : `row ${row.seq} has changed since it was read`
  })

/** Applies a row. Returns whether the rows after it can be applied. */
type Take = (row: Row) => boolean

const tradersOf = (books: Books.Books, streams: Iterable<string>): ReadonlyArray<Books.TraderBook> =>
  [...new Set(streams)].flatMap((stream) => {
    const userId = Books.userOf(stream)
    return userId === undefined ? [] : [Books.trader(books, userId)]
  })

const streamsAtOnce = 256
const rowsAtOnce = 512
