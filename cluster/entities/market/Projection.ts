/** Writes the read tables of one stream after its commits: in batches, in order, each event once. */
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Duration, Effect, Latch } from "effect"
import * as TableWriter from "./TableWriter.ts"

/** As the journal holds it: waiting events would take many times these bytes, on a heap that then has to be searched. */
interface Row {
  readonly seq: number
  readonly row: Uint8Array
}

interface Decoded {
  readonly seq: number
  readonly bytes: number
  readonly events: ReadonlyArray<MarketEvent>
}

export interface Projection {
  readonly committed: (row: Row) => void
}

/** Kept in memory; when more wait they are read back from the journal. */
const maxWaitingRows = 2_000
const maxWaitingBytes = 16 * 1024 * 1024
/** Events written in one transaction: few enough that no order waits long for the event loop or the database. */
const maxEvents = 128
/** So many bytes take hardly longer than a few, so a smaller page counts as one of this size. */
const minBytes = 8 * 1024
/** It is a burst when writing what comes in would take more than this share of the time. */
const burstShare = 0.25
/** How long what comes in is watched to judge of that. */
const lookMillis = 20
/** The tables may be behind for so long in a burst; after that they catch up beside it, and all the way. */
const patienceMillis = 10_000
const pageSize = 64
/** Lets the rows of a quiet market gather. */
const gatherMillis = 20

export const make = Effect.fnUntraced(function* (symbol: string) {
  const journal = yield* Journal
  const tables = yield* ReadTables
  const clock = yield* Clock.Clock
  const stream = marketStream(symbol)
  const more = yield* Latch.make(false)
  let waiting: Array<Row> = []
  let waitingBytes = 0
  /** Read back, and not written yet. */
  let page: Array<Row> = []
  let headSeq = 0
  let recordedBytes = 0

  /** The next rows after `seq`, from memory where they are there without a hole, at most `maxEvents` unless one row has more. */
  const next = Effect.fnUntraced(function* (seq: number) {
    if (page.length === 0 && waiting[0]?.seq !== seq + 1) {
      keep(waiting.filter((row) => row.seq > seq))
      if (waiting[0]?.seq !== seq + 1) {
        const rows = yield* journal.read(stream, seq, pageSize)
        page = rows.map(({ events, seq }): Row => ({ seq, row: events }))
      }
    }
    const from = page.length > 0 ? page : waiting
    const found: Array<Decoded> = []
    let events = 0
    for (const { row, seq: at } of from) {
      // The row of a claim, after the journal was lost and found again, is in the journal only.
      if (at !== seq + 1 + found.length) break
      const decoded = row.length === 0 ? [] : MarketRecord.decode(row)
      events += decoded.length
      if (events > maxEvents && found.length > 0) break
      found.push({ seq: at, bytes: row.length, events: decoded })
    }
    if (from === page) page = page.slice(found.length)
    else keep(waiting.slice(found.length))
    return found
  })
  const keep = (rows: Array<Row>) => {
    waiting = rows
    waitingBytes = rows.reduce((bytes, { row }) => bytes + row.length, 0)
  }

  const project = Effect.gen(function* () {
    page = []
    let done = yield* tables.position(stream)
    let lateMillis = clock.currentTimeMillisUnsafe() + patienceMillis
    while (true) {
      const rows: ReadonlyArray<Decoded> = yield* next(done)
      if (rows.length === 0) {
        yield* more.close
        if (headSeq <= done) yield* more.await
        lateMillis = clock.currentTimeMillisUnsafe() + patienceMillis
        yield* Effect.sleep(gatherMillis)
        continue
      }
      const before = recordedBytes
      const took = Duration.toMillis((yield* Effect.timed(tables.project(symbol, rows)))[0])
      done = rows.at(-1)!.seq
      if (recordedBytes === before) continue
      const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
      yield* standBack(took / Math.max(bytes, minBytes), lateMillis)
      if (clock.currentTimeMillisUnsafe() > lateMillis) yield* Effect.sleep(took)
    }
  })

  /** The journal goes first, until the burst or the patience is over. */
  const standBack = Effect.fnUntraced(function* (millisPerByte: number, lateMillis: number) {
    let isBurst = true
    while (isBurst && clock.currentTimeMillisUnsafe() <= lateMillis) {
      const before = recordedBytes
      yield* Effect.sleep(lookMillis)
      isBurst = (recordedBytes - before) * millisPerByte > burstShare * lookMillis
    }
  })
  yield* TableWriter.start(`the tables of ${symbol}`, project)

  return {
    committed: ({ row, seq }) => {
      headSeq = seq
      recordedBytes += row.length
      if (waiting.length >= maxWaitingRows || waitingBytes >= maxWaitingBytes) keep([])
      waiting.push({ seq, row })
      waitingBytes += row.length
      more.openUnsafe()
    }
  } satisfies Projection as Projection
})
