/** Those who watch a market: the ones on this node are called, those on others take a stream. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Cause, Clock, Effect, Queue, type Scope, Stream } from "effect"
import * as Beat from "../../feed/Beat.ts"
import { Unavailable, type Watched } from "../../protocol/Market.ts"
import type { LocalMarket, Watcher } from "../../clients/LocalEntities.ts"
import type { MarketLog } from "./MarketLog.ts"

export interface MarketWatchers {
  readonly head: LocalMarket["head"]
  readonly watch: LocalMarket["watch"]
  readonly stream: Stream.Stream<Watched, Unavailable>
  /** The market leaves this node. */
  readonly leave: () => void
}

export const make = Effect.fnUntraced(function* (
  symbol: MarketSymbol,
  log: Pick<MarketLog, "head" | "observe" | "provenAtMillis">
): Effect.fn.Return<MarketWatchers, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const watchers = new Set<Watcher>()
  /** Watchers on other nodes. */
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
          return watch(into(rows, waiting, symbol))
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
    // The next heartbeat carries the new head, by which a watcher detects the rows it has missed.
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

/** Puts what a watcher is told into a queue, which fails when it is full or the market leaves. */
const into = (rows: Queue.Queue<Watched, Unavailable>, waiting: { bytes: number }, symbol: MarketSymbol): Watcher => {
  const offer = (row: Watched) => {
    const bytes = bytesOf(row)
    // A row may be larger than all that may wait, and goes on alone.
    const hasRoom = waiting.bytes === 0 || waiting.bytes + bytes <= maxBehindBytes
    if (hasRoom && Queue.offerUnsafe(rows, row)) waiting.bytes += bytes
    else closed()
  }
  const closed = () => {
    Queue.failCauseUnsafe(rows, Cause.fail(new Unavailable({ what: `market ${symbol}` })))
  }
  return {
    batch: ({ epoch, levels, row, seq }) => offer({ epoch, seq, events: row, levels }),
    head: (epoch, seq) => offer({ epoch, seq, events: noEvents, levels: [] }),
    closed
  }
}

/** An owner that stood still, or that its journal does not answer, may not know that another has the log. */
const maxUnprovenMillis = 2_000
/** Watchers on other nodes are told where the log stands this often; those here look for themselves. */
const heartbeatMillis = 1_000
/** Rows that may wait for one watcher; it then starts again from the journal. */
const maxBehind = 1_024
const maxBehindBytes = 4 * 1024 * 1024
/** A level takes no more than that on its way. */
const levelBytes = 32
const bytesOf = ({ events, levels }: Watched): number => events.length + levels.length * levelBytes
const noEvents = new Uint8Array(0)
