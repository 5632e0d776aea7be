/** Keeps a followed log up to date. Watches the market on any node; restarts after the watch ends or has a gap. */
import type { Instrument } from "@venue/domain/Instrument"
import { type Level, marketStream } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import * as JournalGap from "@venue/journal/JournalGap"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as Storage from "@venue/telemetry/catalogue/Storage"
import * as Meter from "@venue/telemetry/Meter"
import { Deferred, Effect, Fiber, Schedule, Stream } from "effect"
import type { Batch } from "./Batch.ts"
import { LocalEntities } from "../clients/LocalEntities.ts"
import { MarketClient } from "../clients/MarketClient.ts"
import type { DepthAt, Watched } from "../protocol/Market.ts"
import type { FollowedLog } from "./FollowedLog.ts"

/** Number of rows in one read from the journal. */
const pageSize = 256
/** Maximum number of batches that are buffered while a watch starts. */
const maxEarly = 4_096
const restart = Schedule.spaced("50 millis")
/** Time without a row or heartbeat after which a watch restarts. A market on another node sends a heartbeat every second. */
const silentMillis = 5_000

interface Watcher {
  readonly batch: (batch: Batch) => void
  readonly head: (epoch: number, seq: number) => void
  readonly closed: () => void
}

/** Watches while the scope is open. `begun` receives the market's state when a watch begins. */
export const start = Effect.fnUntraced(function* (
  instrument: Instrument,
  log: FollowedLog,
  begun: (depth: DepthAt) => void
) {
  const { symbol } = instrument
  const markets = yield* MarketClient
  const begins = yield* Meter.counter(Storage.feedWatches, { symbol })
  const readBack = yield* makeReadBack(instrument, log)
  const attach = yield* makeAttach(instrument)

  /** One watch, from attaching to the market until the watch ends or has a gap. */
  const session = Effect.gen(function* () {
    begins()
    yield* markets.depth(symbol)
    const ended = Deferred.makeUnsafe<void>()
    const end = () => Deferred.doneUnsafe(ended, Effect.void)
    let early: Array<Batch> | undefined = []
    const here = yield* attach({
      batch: (batch) => {
        if (early === undefined ? !log.advance(batch) : early.push(batch) > maxEarly) end()
      },
      head: (epoch, seq) => {
        const last = log.head()
        if (early !== undefined || last === undefined) return
        if (seq > last.seq) end()
        else if (epoch >= last.epoch) log.confirm(epoch, last.seq)
      },
      closed: end
    })

    const depth = yield* markets.depth(symbol)
    // A fenced owner that has not noticed its fencing returns outdated levels.
    if (depth.seq < (log.head()?.seq ?? 0)) return
    if (log.head() === undefined) log.confirm(depth.epoch, depth.seq)
    else yield* readBack(depth.seq)
    log.reset(depth.levels)
    begun(depth)
    const buffered = early
    early = undefined
    if (!buffered.every(log.advance)) return
    if (here !== undefined) {
      const detach = log.attach(here)
      yield* Effect.addFinalizer(() => Effect.sync(detach))
    }
    yield* Deferred.await(ended)
  })

  /** A session might hang in a call to a dead node or while closing, so it is interrupted without waiting. */
  const watch = Effect.gen(function* () {
    const watching = yield* Effect.forkScoped(
      Effect.scoped(session).pipe(Effect.tapDefect((defect) => Effect.logError(`watching ${symbol}`, defect)))
    )
    yield* Effect.raceFirst(
      Fiber.await(watching),
      Effect.andThen(
        silence(log),
        Effect.logWarning(
          `no journal row or heartbeat of market ${symbol} arrived for ${silentMillis / 1_000} s; the watch restarts`
        )
      )
    )
    yield* Effect.forkScoped(Fiber.interrupt(watching))
  })
  yield* Effect.forkScoped(Effect.repeat(watch, restart))
})

/**
 * Completes when the market has been silent for `silentMillis`. A session attached to a market on this node never
 * counts as silent, because the market itself reports when it leaves. The market's current node is irrelevant: a
 * hanging session might have begun before the market moved.
 */
const silence = (log: FollowedLog) =>
  Effect.gen(function* () {
    const before = log.head()?.aliveAtMillis
    yield* Effect.sleep(silentMillis)
    if (log.isAttached()) return yield* Effect.never
    return log.head()?.aliveAtMillis === before
  }).pipe(Effect.repeat({ until: (isSilent) => isSilent }))

/** Reads missed rows from the journal. They carry no levels, because the start of the watch replaces all levels. */
const makeReadBack = Effect.fnUntraced(function* (instrument: Instrument, log: FollowedLog) {
  const journal = yield* Journal
  const stream = marketStream(instrument.symbol)
  return Effect.fnUntraced(function* (upTo: number) {
    for (let last = log.head()!.seq; last < upTo; last = log.head()!.seq) {
      const rows = yield* JournalGap.readNext(journal, stream, last, Math.min(pageSize, upTo - last))
      if (rows.length === 0) return yield* Effect.die(`${stream} ends before row ${upTo}`)
      for (const row of rows) log.advance(decode(instrument, row, []))
    }
  })
})

/** Watches and returns a market on this node. Otherwise watches it through the cluster until it moves here. */
const makeAttach = Effect.fnUntraced(function* (instrument: Instrument) {
  const { symbol } = instrument
  const localEntities = yield* LocalEntities
  const markets = yield* MarketClient
  const watchRemote = (watcher: Watcher) =>
    markets.watch(symbol).pipe(
      Stream.takeUntil(() => localEntities.markets.has(symbol)),
      Stream.runForEach((row) =>
        Effect.sync(() =>
          row.events.length === 0
            ? watcher.head(row.epoch, row.seq)
            : watcher.batch(decode(instrument, row, row.levels))
        )
      ),
      Effect.exit,
      Effect.andThen(Effect.sync(watcher.closed)),
      Effect.forkScoped
    )
  return Effect.fnUntraced(function* (watcher: Watcher) {
    const here = localEntities.markets.get(symbol)
    if (here === undefined) {
      yield* watchRemote(watcher)
      return undefined
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => here.watch(watcher)),
      (stop) => Effect.sync(stop)
    )
    return here
  })
})

const decode = (
  instrument: Instrument,
  { epoch, events, seq }: Pick<Watched, "epoch" | "seq" | "events">,
  levels: ReadonlyArray<Level>
): Batch => ({
  instrument,
  epoch,
  seq,
  events: events.length === 0 ? [] : MarketRecord.decode(events),
  levels,
  row: events
})
