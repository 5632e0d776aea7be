/** A market's watchers. Watchers on this node are called directly, and watchers on other nodes receive a stream. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Storage from "@venue/telemetry/catalogue/Storage"
import * as Meter from "@venue/telemetry/Meter"
import { Cause, Clock, Effect, Queue, type Scope, Stream } from "effect"
import * as Beat from "../../feed/Beat.ts"
import { Unavailable, type Watched } from "../../protocol/Market.ts"
import type { LocalMarket, Watcher } from "../../clients/LocalEntities.ts"
import type { MarketLog } from "./MarketLog.ts"

export interface MarketWatchers {
  readonly head: LocalMarket["head"]
  readonly watch: LocalMarket["watch"]
  readonly stream: Stream.Stream<Watched, Unavailable>
  /** Ends all watches, because the market is leaving this node. */
  readonly leave: () => void
}

export const make = Effect.fnUntraced(function* (
  symbol: MarketSymbol,
  log: Pick<MarketLog, "head" | "observe" | "provenAtMillis">
): Effect.fn.Return<MarketWatchers, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const dropped = yield* Meter.counter(Storage.watchersDropped, { symbol })
  const watchers = new Set<Watcher>()
  /** Number of watchers on other nodes. */
  let streams = 0

  const head = () => {
    const unprovenMillis = clock.currentTimeMillisUnsafe() - log.provenAtMillis()
    return unprovenMillis <= maxUnprovenMillis ? log.head() : undefined
  }
  const heartbeats = yield* Beat.make(
    heartbeatMillis,
    Effect.sync(() => {
      const at = head()
      if (at !== undefined) for (const watcher of watchers) watcher.head(at.epoch, at.seq)
      return streams > 0 || at === undefined
    })
  )
  const watch = (watcher: Watcher) => {
    watchers.add(watcher)
    const { epoch, seq } = log.head()
    watcher.head(epoch, seq)
    return () => {
      watchers.delete(watcher)
    }
  }

  const stream = Stream.unwrap(
    Effect.gen(function* () {
      const rows = yield* Queue.dropping<Watched, Unavailable>(maxBehind)
      const waiting = { bytes: 0 }
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          streams++
          heartbeats.start()
          return watch(into(rows, waiting, symbol, dropped))
        }),
        (stop) =>
          Effect.sync(() => {
            streams--
            stop()
          })
      )
      return Stream.map(Stream.fromQueue(rows), (row) => {
        waiting.bytes -= bytesOf(row)
        return row
      })
    })
  )

  log.observe({
    committed: (batch) => {
      for (const watcher of watchers) watcher.batch(batch)
    },
    // The next heartbeat carries the new head, from which a watcher detects the rows that it missed.
    reclaimed: heartbeats.start
  })
  return {
    head,
    watch,
    stream,
    leave: () => {
      for (const watcher of watchers) watcher.closed()
      watchers.clear()
    }
  }
})

/** Returns a watcher that writes to a queue. The queue fails if it overflows or the market leaves this node. */
const into = (
  rows: Queue.Queue<Watched, Unavailable>,
  waiting: { bytes: number },
  symbol: MarketSymbol,
  dropped: () => void
): Watcher => {
  let isOver = false
  const offer = (row: Watched) => {
    const bytes = bytesOf(row)
    // A row larger than the limit is accepted while the queue is empty.
    const hasRoom = waiting.bytes === 0 || waiting.bytes + bytes <= maxBehindBytes
    if (hasRoom && Queue.offerUnsafe(rows, row)) waiting.bytes += bytes
    else {
      if (!isOver) dropped()
      closed()
    }
  }
  const closed = () => {
    isOver = true
    Queue.failCauseUnsafe(rows, Cause.fail(new Unavailable({ what: `market ${symbol}` })))
  }
  return {
    batch: ({ epoch, levels, row, seq }) => offer({ epoch, seq, events: row, levels }),
    head: (epoch, seq) => offer({ epoch, seq, events: noEvents, levels: [] }),
    closed
  }
}

/**
 * Time since the last confirmed ownership above which the head is not published, because another node might own the
 * log.
 */
const maxUnprovenMillis = 2_000
/** Interval between heartbeats to watchers on other nodes; watchers on this node read the head themselves. */
const heartbeatMillis = 1_000
/** Limits of one watcher's queue. A watcher that exceeds them restarts from the journal. */
const maxBehind = 1_024
const maxBehindBytes = 4 * 1024 * 1024
/** Upper bound of a level's encoded size. */
const levelBytes = 32
const bytesOf = ({ events, levels }: Watched): number => events.length + levels.length * levelBytes
const noEvents = new Uint8Array(0)
