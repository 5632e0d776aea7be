/** Keeps a followed log up to date: it watches the market wherever that lives, and begins anew at an end or a hole. */
import type { Instrument } from "@venue/domain/Instrument"
import { type Level, marketStream } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Deferred, Effect, Fiber, Schedule, Stream } from "effect"
import type { Batch } from "./Batch.ts"
import { LocalEntities } from "../clients/LocalEntities.ts"
import { MarketClient } from "../clients/MarketClient.ts"
import type { DepthAt, Watched } from "../protocol/Market.ts"
import type { FollowedLog } from "./FollowedLog.ts"

/** Rows that are read back at once. */
const pageSize = 256
/** Batches that may come before the start of a watch is known. */
const maxEarly = 4_096
const beginAgain = Schedule.spaced("50 millis")
/** A market elsewhere says each second where it stands; who hears nothing for so long watches anew. */
const silentMillis = 5_000

interface Watcher {
  readonly batch: (batch: Batch) => void
  readonly head: (epoch: number, seq: number) => void
  readonly closed: () => void
}

/** Watches for as long as the scope is open. `found` is told what the market says of itself when a watch begins. */
export const start = Effect.fnUntraced(function* (
  instrument: Instrument,
  log: FollowedLog,
  found: (depth: DepthAt) => void
) {
  const { symbol } = instrument
  const markets = yield* MarketClient
  const readBack = yield* makeReadBack(instrument, log)
  const attach = yield* makeAttach(instrument)

  /** One residence of the market, from attaching to its end or to the first hole. */
  const session = Effect.gen(function* () {
    yield* markets.depth(symbol)
    const over = Deferred.makeUnsafe<void>()
    const end = () => Deferred.doneUnsafe(over, Effect.void)
    let early: Array<Batch> | undefined = []
    const here = yield* attach({
      batch: (batch) => {
        if (early === undefined ? !log.advance(batch) : early.push(batch) > maxEarly) end()
      },
      head: (epoch, seq) => {
        const last = log.head()
        if (early !== undefined || last === undefined) return
        if (seq > last.seq) end()
        else if (epoch >= last.epoch) log.hear(epoch, last.seq)
      },
      closed: end
    })

    const depth = yield* markets.depth(symbol)
    // An owner that does not know yet that it was followed tells of levels that are no longer so.
    if (depth.seq < (log.head()?.seq ?? 0)) return
    if (log.head() === undefined) log.hear(depth.epoch, depth.seq)
    else yield* readBack(depth.seq)
    log.reset(depth.levels)
    found(depth)
    const waited = early
    early = undefined
    if (!waited.every(log.advance)) return
    if (here !== undefined) {
      const detach = log.attach(here)
      yield* Effect.addFinalizer(() => Effect.sync(detach))
    }
    yield* Deferred.await(over)
  })

  /** A session may hang in a call to a node that is gone, or in leaving it: it is left behind, and waited for by nobody. */
  const watch = Effect.gen(function* () {
    const watching = yield* Effect.forkScoped(
      Effect.scoped(session).pipe(Effect.tapDefect((defect) => Effect.logError(`watching ${symbol}`, defect)))
    )
    yield* Effect.raceFirst(
      Fiber.await(watching),
      Effect.andThen(
        silence(log),
        Effect.logWarning(`nothing was heard of ${symbol} for ${silentMillis / 1_000} s: it is watched anew`)
      )
    )
    yield* Effect.forkScoped(Fiber.interrupt(watching))
  })
  yield* Effect.forkScoped(Effect.repeat(watch, beginAgain))
})

/**
 * Ends when a market was not heard for too long, unless the session has found it here: it says by itself that it has left. One
 * that hangs may have begun when the market was here, or have the market come here since: where the market is now says nothing.
 */
const silence = (log: FollowedLog) =>
  Effect.gen(function* () {
    const before = log.head()?.heardAtMillis
    yield* Effect.sleep(silentMillis)
    if (log.isAttached()) return yield* Effect.never
    return log.head()?.heardAtMillis === before
  }).pipe(Effect.repeat({ until: (isSilent) => isSilent }))

/** What was missed comes from the journal, without the levels that it changed. */
const makeReadBack = Effect.fnUntraced(function* (instrument: Instrument, log: FollowedLog) {
  const journal = yield* Journal
  const stream = marketStream(instrument.symbol)
  return Effect.fnUntraced(function* (upTo: number) {
    for (let last = log.head()!.seq; last < upTo; last = log.head()!.seq) {
      const rows = yield* journal.read(stream, last, Math.min(pageSize, upTo - last))
      if (rows.length === 0) return yield* Effect.die(`${stream} ends before row ${upTo}`)
      for (const row of rows) log.advance(decode(instrument, row, []))
    }
  })
})

/** Watches the market on this node, and returns it, or through the cluster for as long as it lives elsewhere. */
const makeAttach = Effect.fnUntraced(function* (instrument: Instrument) {
  const { symbol } = instrument
  const localEntities = yield* LocalEntities
  const markets = yield* MarketClient
  const watchThere = (watcher: Watcher) =>
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
      yield* watchThere(watcher)
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
  levels
})
