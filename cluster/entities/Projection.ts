/** Writes the read tables of one stream after its commits: in batches, in order, each event once. */
import type { MarketEvent } from "@venue/domain/Market"
import { Journal } from "@venue/storage/Journal"
import * as MarketRecord from "@venue/storage/MarketRecord"
import { ReadTables } from "@venue/storage/ReadTables"
import { Duration, Effect, Latch, Schedule } from "effect"
import { marketStream } from "../protocol/Market.ts"

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
/** Fewer keep up with what comes in, and say little of how long more of them would take. */
const minEvents = 64
/** It is a burst when writing what comes in would take more than this share of the time. */
const burstShare = 0.1
const lookMillis = 20
/** Rows the tables may be behind in a burst; beyond it they catch up beside it, and all the way. */
const patienceBytes = 32 * 1024 * 1024
const pageSize = 64
/** Lets the rows of a market gather that is not busy. */
const gatherMillis = 20

export const make = Effect.fnUntraced(function* (symbol: string) {
  const journal = yield* Journal
  const tables = yield* ReadTables
  const stream = marketStream(symbol)
  const more = yield* Latch.make(false)
  let waiting: Array<Row> = []
  let waitingBytes = 0
  /** Read back, and not written yet. */
  let page: Array<Row> = []
  let headSeq = 0
  let recordedBytes = 0
  let behindBytes = 0
  let isLate: boolean = false

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
    while (true) {
      const rows: ReadonlyArray<Decoded> = yield* next(done)
      if (rows.length === 0) {
        isLate = false
        yield* more.close
        if (headSeq <= done) yield* more.await
        yield* Effect.sleep(gatherMillis)
        continue
      }
      const before = recordedBytes
      const took = Duration.toMillis((yield* Effect.timed(tables.project(symbol, rows)))[0])
      done = rows.at(-1)!.seq
      const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
      behindBytes = done >= headSeq ? 0 : Math.max(behindBytes - bytes, 0)
      if (rows.reduce((count, row) => count + row.events.length, 0) < minEvents) yield* Effect.sleep(gatherMillis)
      else if (recordedBytes > before) yield* standBack(took / bytes)
      if (isLate) yield* Effect.sleep(took)
    }
  })

  /** The journal goes first: until the burst is over, or has lasted too long. */
  const standBack = Effect.fnUntraced(function* (millisPerByte: number) {
    let isBurst = true
    while (isBurst && !isLate) {
      const before = recordedBytes
      yield* Effect.sleep(lookMillis)
      isBurst = (recordedBytes - before) * millisPerByte > burstShare * lookMillis
      isLate = behindBytes >= patienceBytes
    }
  })
  yield* project.pipe(Effect.retry(Schedule.spaced("500 millis")), Effect.forkScoped)

  return {
    committed: ({ row, seq }) => {
      headSeq = seq
      recordedBytes += row.length
      behindBytes += row.length
      if (waiting.length >= maxWaitingRows || waitingBytes >= maxWaitingBytes) keep([])
      waiting.push({ seq, row })
      waitingBytes += row.length
      more.openUnsafe()
    }
  } satisfies Projection as Projection
})
