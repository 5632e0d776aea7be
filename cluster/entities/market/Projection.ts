/**
 * Writes one market's tables for queries after its commits, in batches and in order, each event once. Groups of
 * tables at about the same row share a transaction. A group far behind catches up separately.
 */
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Journal, type Row } from "@venue/journal/Journal"
import { readNext } from "@venue/journal/JournalGap"
import * as MarketRecord from "@venue/journal/MarketRecord"
import type { CommittedRow, MarketProjection } from "@venue/storage/history/Projection"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Storage from "@venue/telemetry/catalogue/Storage"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Effect, Latch, identity } from "effect"
import * as TableWriter from "../../tables/TableWriter.ts"
import * as TableDelay from "./TableDelay.ts"

export interface Projection {
  /** Adds a committed row, which is read back from the journal, so that no row is buffered in memory. */
  readonly committed: (row: CommittedRow<MarketEvent>) => void
  /** Adds a new claim's row, so that readers waiting for it need not wait for the next commit. */
  readonly claimed: (seq: number) => void
  /**
   * Suspends the delay that applies during a burst until the tables contain row `seq`, because a reader is waiting
   * for it.
   */
  readonly wanted: (seq: number) => void
}

const pageRows = 64
/** Maximum events per transaction, few enough to block neither the event loop nor the database for long. */
const maxEvents = 128
/** Interval at which new rows are collected and bursts are detected. */
const stepMillis = 20
/** Longest delay of the tables during a burst, after which they catch up completely even if it continues. */
const maxDelayMillis = 10_000
/** Maximum delay, during a burst, of each write of a group that catches up separately. */
const maxFillDelayMillis = 200
/** Minimum time between two suspensions of the burst delay for waiting readers. */
const readerIntervalMillis = 250

export const make = Effect.fnUntraced(function* (symbol: MarketSymbol, projections: ReadonlyArray<MarketProjection>) {
  const journal = yield* Journal
  const tables = yield* ReadTables
  const bursts = yield* makeBursts
  const readers = yield* makeReaders
  const more = yield* Latch.make(false)
  const delay = yield* makeDelay(symbol, projections)
  /** Newest committed row; undefined until the first commit or claim. */
  let lastSeq: number | undefined

  const page = (after: number) => readNext(journal, marketStream(symbol), after, pageRows)
  const position = (projection: MarketProjection) => tables.position(projection, symbol)

  const project = Effect.gen(function* () {
    const groups = yield* Effect.forEach(projections, (projection) =>
      Effect.map(position(projection), (seq) => ({ projection, seq }))
    )
    const front = Math.max(...groups.map(({ seq }) => seq))
    /** Row that all jointly written groups have reached. A group that is ahead skips the rows that it already has. */
    let done = front
    const together: Array<MarketProjection> = []
    const joining = groups.filter(({ seq }) => front - seq <= pageRows)

    const catchUp = Effect.gen(function* () {
      const mayWait = yield* bursts.delay(maxDelayMillis)
      while (joining.length > 0 || done !== lastSeq) {
        for (const { projection, seq } of joining.splice(0)) {
          together.push(projection)
          delay.written([projection.group], seq)
          done = Math.min(done, seq)
        }
        const unread = yield* page(done)
        if (unread.length === 0) break
        for (const rows of batches(unread)) {
          const before = bursts.events()
          yield* tables.project(together, symbol, rows)
          done = rows.at(-1)!.seq
          delay.written(namesOf(together), done)
          if (bursts.events() !== before) yield* bursts.yieldTo(() => mayWait() && !readers.isWaitedFor(done))
        }
      }
    })
    const newest = Effect.gen(function* () {
      while (true) {
        yield* more.close
        yield* catchUp
        yield* more.await
        yield* Effect.sleep(stepMillis)
      }
    })
    /** Writes one group from its first missing row until it is within a page of the others, then adds it to them. */
    const fill = Effect.fnUntraced(function* (projection: MarketProjection) {
      let seq = yield* position(projection)
      while (done - seq > pageRows) {
        for (const rows of batches(yield* page(seq))) {
          yield* bursts.yieldTo(yield* bursts.delay(maxFillDelayMillis))
          yield* tables.project([projection], symbol, rows)
          seq = rows.at(-1)!.seq
          delay.written([projection.group], seq)
        }
      }
      joining.push({ projection, seq })
      more.openUnsafe()
    })
    const fills = groups
      .filter((group) => !joining.includes(group))
      .map(({ projection }) => TableWriter.persist(`the ${projection.group} tables of ${symbol}`, fill(projection)))
    return yield* Effect.all([newest, ...fills], { concurrency: "unbounded" }).pipe(Effect.andThen(Effect.never))
  })
  yield* Effect.forkScoped(TableWriter.persist(`the tables of ${symbol}`, project))

  const claimed = (seq: number) => {
    delay.committed(seq)
    lastSeq = seq
    more.openUnsafe()
  }
  return identity<Projection>({
    claimed,
    wanted: readers.wanted,
    committed: ({ events, seq }) => {
      bursts.recorded(events.length)
      claimed(seq)
    }
  })
})

const namesOf = (projections: ReadonlyArray<MarketProjection>) => projections.map(({ group }) => group)

const makeDelay = Effect.fnUntraced(function* (symbol: MarketSymbol, projections: ReadonlyArray<MarketProjection>) {
  const clock = yield* Clock.Clock
  const delay = TableDelay.make(namesOf(projections), () => clock.currentTimeMillisUnsafe())
  yield* Meter.collect(Storage.readTableDelay, () =>
    delay.all().map(([group, millis]) => [{ group, symbol }, millis / 1_000] as const)
  )
  return delay
})

/** Detects bursts of recorded events. During a burst, table writes give way to orders. */
const makeBursts = Effect.map(Clock.Clock, (clock) => {
  let recordedEvents = 0
  const isBurst = Effect.gen(function* () {
    const before = recordedEvents
    yield* Effect.sleep(stepMillis)
    return recordedEvents - before > burstEvents
  })
  return {
    recorded: (events: number) => {
      recordedEvents += events
    },
    events: () => recordedEvents,
    /** Returns a predicate that is true for the next `millis` milliseconds. */
    delay: (millis: number) =>
      Effect.sync(() => {
        const untilMillis = clock.currentTimeMillisUnsafe() + millis
        return () => clock.currentTimeMillisUnsafe() < untilMillis
      }),
    /** Waits for the end of the burst while `mayWait` returns true. */
    yieldTo: (mayWait: () => boolean) =>
      Effect.suspend(() => (mayWait() ? Effect.repeat(isBurst, { while: (is) => is && mayWait() }) : Effect.void))
  }
})

/** Tracks the row for which readers wait. */
const makeReaders = Effect.map(Clock.Clock, (clock) => {
  let wantedSeq = 0
  let servedSeq = 0
  let servedAtMillis = -Infinity
  return {
    wanted: (seq: number) => {
      wantedSeq = Math.max(wantedSeq, seq)
    },
    /** Whether the tables are being written for a reader that waits for a row after `doneSeq`. */
    isWaitedFor: (doneSeq: number) => {
      const nowMillis = clock.currentTimeMillisUnsafe()
      if (doneSeq >= servedSeq && doneSeq < wantedSeq && nowMillis >= servedAtMillis + readerIntervalMillis) {
        servedSeq = wantedSeq
        servedAtMillis = nowMillis
      }
      return doneSeq < servedSeq
    }
  }
})

/**
 * Number of events per interval that counts as a burst. Table writes alongside each flush would raise the p99 of
 * acknowledgements more than everything else together (bench row `socket, 16x1, p99`).
 */
const burstEvents = 100

/** Decodes rows lazily, in batches of at most `maxEvents` events and at least one row. */
function* batches(page: ReadonlyArray<Row>): Iterable<ReadonlyArray<CommittedRow<MarketEvent>>> {
  let batch: Array<CommittedRow<MarketEvent>> = []
  let count = 0
  for (const row of page) {
    // The row that records a claim has no events.
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
