/** Writes the read tables of one market after its commits: in batches, in order, each event once. */
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Journal, type Row } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { type CommittedRow, ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Effect, Latch } from "effect"
import * as TableWriter from "./TableWriter.ts"

export interface Projection {
  /** A row is in the journal; it is read back from there, so that nothing waits in memory. */
  readonly committed: (row: CommittedRow<MarketEvent>) => void
}

const pageRows = 64
/** Events written in one transaction: few enough that no order waits long for the event loop or the database. */
const maxEvents = 128
/** The rows of a quiet market gather for so long, and a busy one is looked at again after it. */
const lookMillis = 20
/**
 * More events than this between two looks are a burst: a transaction of the tables beside each flush would cost the
 * slowest hundredth of the acknowledgements more than everything else together (bench row `socket, 16x1, p99`).
 */
const burstEvents = 100
/** The tables may be behind for so long in a burst; after that they catch up beside it, and all the way. */
const patienceMillis = 10_000

export const make = Effect.fnUntraced(function* (symbol: MarketSymbol) {
  const journal = yield* Journal
  const tables = yield* ReadTables
  const clock = yield* Clock.Clock
  const stream = marketStream(symbol)
  const more = yield* Latch.make(false)
  /** Unknown until the first commit. */
  let lastSeq: number | undefined
  let recordedEvents = 0

  const isBurst = Effect.gen(function* () {
    const before = recordedEvents
    yield* Effect.sleep(lookMillis)
    return recordedEvents - before > burstEvents
  })

  /** Writes on from the row at `from` to the last, and returns where that is. */
  const catchUp = Effect.fnUntraced(function* (from: number) {
    const patientUntil = clock.currentTimeMillisUnsafe() + patienceMillis
    const isPatient = () => clock.currentTimeMillisUnsafe() < patientUntil
    let done = from
    while (done !== lastSeq) {
      const page = yield* journal.read(stream, done, pageRows)
      if (page.length === 0) break
      for (const rows of batches(page)) {
        const before = recordedEvents
        yield* tables.project(symbol, rows)
        done = rows.at(-1)!.seq
        if (recordedEvents !== before && isPatient())
          yield* Effect.repeat(isBurst, { while: (is) => is && isPatient() })
      }
    }
    return done
  })

  const project = Effect.gen(function* () {
    let done = yield* tables.position(stream)
    while (true) {
      yield* more.close
      done = yield* catchUp(done)
      yield* more.await
      yield* Effect.sleep(lookMillis)
    }
  })
  yield* TableWriter.start(`the tables of ${symbol}`, project)

  return {
    committed: ({ events, seq }) => {
      lastSeq = seq
      recordedEvents += events.length
      more.openUnsafe()
    }
  } satisfies Projection as Projection
})

/** The rows in order, decoded as they are asked for: as many at a time as have at most `maxEvents`, and at least one. */
function* batches(page: ReadonlyArray<Row>): Iterable<ReadonlyArray<CommittedRow<MarketEvent>>> {
  let batch: Array<CommittedRow<MarketEvent>> = []
  let count = 0
  for (const row of page) {
    // The row of a claim is empty.
    const events = row.events.length === 0 ? [] : MarketRecord.decode(row.events)
    if (batch.length > 0 && count + events.length > maxEvents) {
      yield batch
      batch = []
      count = 0
    }
    batch.push({ seq: row.seq, events })
    count += events.length
  }
  yield batch
}
