/**
 * Writes the read tables of one market after its commits: in batches, in order, each event once. Groups that have come
 * about as far as each other are written together; one that is far behind fills itself beside them.
 */
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Journal, type Row } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import type { CommittedRow, MarketProjection } from "@venue/storage/history/Projection"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Effect, Latch } from "effect"
import * as TableWriter from "../../tables/TableWriter.ts"

export interface Projection {
  /** A row is in the journal; it is read back from there, so that nothing waits in memory. */
  readonly committed: (row: CommittedRow<MarketEvent>) => void
  /** The log is held, and its claim is a row too: whoever waits for the tables need not wait for the next commit. */
  readonly claimed: (seq: number) => void
  /** A reader waits for the tables to have this row, so they stand back no longer. */
  readonly wanted: (seq: number) => void
}

const pageRows = 64
/** Events written in one transaction: few enough that no order waits long for the event loop or the database. */
const maxEvents = 128
/** The rows of a quiet market gather for so long, and a busy one is looked at again after it. */
const lookMillis = 20
/** The tables may be behind for so long in a burst; after that they catch up beside it, and all the way. */
const patienceMillis = 10_000
/** A group that fills itself lets a burst go first for so long before each of its writes. */
const fillPatienceMillis = 200
/** The tables hurry for readers once in so long at most; those that come meanwhile wait for the next time, if they must. */
const hurryMillis = 250

export const make = Effect.fnUntraced(function* (symbol: MarketSymbol, projections: ReadonlyArray<MarketProjection>) {
  const journal = yield* Journal
  const tables = yield* ReadTables
  const bursts = yield* makeBursts
  const readers = yield* makeReaders
  const more = yield* Latch.make(false)
  /** Unknown until the first commit. */
  let lastSeq: number | undefined

  const page = (after: number) => journal.read(marketStream(symbol), after, pageRows)
  const position = (projection: MarketProjection) => tables.position(projection, symbol)

  const project = Effect.gen(function* () {
    const groups = yield* Effect.forEach(projections, (projection) =>
      Effect.map(position(projection), (seq) => ({ projection, seq }))
    )
    const front = Math.max(...groups.map(({ seq }) => seq))
    /** The groups that are written together have all come this far; one that is further skips what it has had. */
    let done = front
    const together: Array<MarketProjection> = []
    const joining = groups.filter(({ seq }) => front - seq <= pageRows)

    const catchUp = Effect.gen(function* () {
      const isPatient = yield* bursts.patience(patienceMillis)
      while (joining.length > 0 || done !== lastSeq) {
        for (const { projection, seq } of joining.splice(0)) {
          together.push(projection)
          done = Math.min(done, seq)
        }
        const found = yield* page(done)
        if (found.length === 0) break
        for (const rows of batches(found)) {
          const before = bursts.events()
          yield* tables.project(together, symbol, rows)
          done = rows.at(-1)!.seq
          if (bursts.events() !== before) yield* bursts.standBack(() => isPatient() && !readers.areServed(done))
        }
      }
    })
    const newest = Effect.gen(function* () {
      while (true) {
        yield* more.close
        yield* catchUp
        yield* more.await
        yield* Effect.sleep(lookMillis)
      }
    })
    /** From the first row it lacks until it has come near the others, which then take it along. */
    const fill = Effect.fnUntraced(function* (projection: MarketProjection) {
      let seq = yield* position(projection)
      while (done - seq > pageRows) {
        for (const rows of batches(yield* page(seq))) {
          yield* bursts.standBack(yield* bursts.patience(fillPatienceMillis))
          yield* tables.project([projection], symbol, rows)
          seq = rows.at(-1)!.seq
        }
      }
      joining.push({ projection, seq })
      more.openUnsafe()
    })
    const fills = groups
      .filter((group) => !joining.includes(group))
      .map(({ projection }) => TableWriter.persist(`the tables ${projection.group} of ${symbol}`, fill(projection)))
    return yield* Effect.all([newest, ...fills], { concurrency: "unbounded" }).pipe(Effect.andThen(Effect.never))
  })
  yield* Effect.forkScoped(TableWriter.persist(`the tables of ${symbol}`, project))

  const claimed = (seq: number) => {
    lastSeq = seq
    more.openUnsafe()
  }
  return {
    claimed,
    wanted: readers.wanted,
    committed: ({ events, seq }) => {
      bursts.recorded(events.length)
      claimed(seq)
    }
  } satisfies Projection as Projection
})

/** When much is recorded, orders come first: the tables stand back for as long as they are patient. */
const makeBursts = Effect.map(Clock.Clock, (clock) => {
  let recordedEvents = 0
  const isBurst = Effect.gen(function* () {
    const before = recordedEvents
    yield* Effect.sleep(lookMillis)
    return recordedEvents - before > burstEvents
  })
  return {
    recorded: (events: number) => {
      recordedEvents += events
    },
    events: () => recordedEvents,
    /** From now on; it ends by itself. */
    patience: (millis: number) =>
      Effect.sync(() => {
        const untilMillis = clock.currentTimeMillisUnsafe() + millis
        return () => clock.currentTimeMillisUnsafe() < untilMillis
      }),
    standBack: (isPatient: () => boolean) =>
      Effect.suspend(() => (isPatient() ? Effect.repeat(isBurst, { while: (is) => is && isPatient() }) : Effect.void))
  }
})

/** Who waits for the tables, and up to which row. */
const makeReaders = Effect.map(Clock.Clock, (clock) => {
  let wantedSeq = 0
  let servedSeq = 0
  let hurriedAtMillis = -Infinity
  return {
    wanted: (seq: number) => {
      wantedSeq = Math.max(wantedSeq, seq)
    },
    /** Those for whom the tables hurry now. */
    areServed: (doneSeq: number) => {
      const nowMillis = clock.currentTimeMillisUnsafe()
      if (doneSeq >= servedSeq && doneSeq < wantedSeq && nowMillis >= hurriedAtMillis + hurryMillis) {
        servedSeq = wantedSeq
        hurriedAtMillis = nowMillis
      }
      return doneSeq < servedSeq
    }
  }
})

/**
 * More events than this between two looks are a burst: a transaction of the tables beside each flush would cost the
 * slowest hundredth of the acknowledgements more than everything else together (bench row `socket, 16x1, p99`).
 */
const burstEvents = 100

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
