/** Those who watch a market: the ones on this node are called, those on others take a stream. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Journal } from "@venue/journal/Journal"
import { Cause, Clock, Effect, Queue, type Scope, Stream } from "effect"
import * as Beat from "../../protocol/Beat.ts"
import { Unavailable, type Watched } from "../../protocol/Market.ts"
import type { CommittedBatch, LocalMarket, Watcher } from "../../clients/LocalEntities.ts"
import type { MarketLog } from "./MarketLog.ts"

export interface MarketWatchers {
  readonly head: LocalMarket["head"]
  readonly watch: LocalMarket["watch"]
  readonly stream: Stream.Stream<Watched, Unavailable>
  readonly committed: (committed: CommittedBatch) => void
  /** Those who watch here learn by it that rows were recorded of which they were not told. */
  readonly reclaimed: () => void
  /** The market leaves this node. */
  readonly leave: () => void
}

/** `log` is asked for once somebody watches, since it is made with them. */
export const make = Effect.fnUntraced(function* (
  symbol: MarketSymbol,
  log: () => MarketLog
): Effect.fn.Return<MarketWatchers, never, Journal | Scope.Scope> {
  const journal = yield* Journal
  const clock = yield* Clock.Clock
  const watchers = new Set<Watcher>()
  /** Watchers on other nodes. */
  let streams = 0

  const head = () => {
    const silentMillis = clock.currentTimeMillisUnsafe() - journal.lastRoundTripMillis()
    return log().serving() && silentMillis <= maxSilentMillis ? log().head() : undefined
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
    const { epoch, seq } = log().head()
    watcher.head(epoch, seq)
    return () => {
      watchers.delete(watcher)
    }
  }

  const stream = Stream.unwrap(
    Effect.gen(function* () {
      const rows = yield* Queue.dropping<Watched, Unavailable>(maxBehind)
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          streams++
          heartbeats.start()
          return watch(into(rows, symbol))
        }),
        (stop) =>
          Effect.sync(() => {
            streams--
            stop()
          })
      )
      return Stream.fromQueue(rows)
    })
  )

  return {
    head,
    watch,
    stream,
    committed: (committed) => {
      for (const watcher of watchers) watcher.batch(committed)
    },
    reclaimed: heartbeats.start,
    leave: () => {
      for (const watcher of watchers) watcher.closed()
      watchers.clear()
    }
  }
})

/** Puts what a watcher is told into a queue, which fails when it is full or the market leaves. */
const into = (rows: Queue.Queue<Watched, Unavailable>, symbol: MarketSymbol): Watcher => {
  const offer = (row: Watched) => {
    if (!Queue.offerUnsafe(rows, row)) closed()
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

/** A journal that has not answered for longer leaves open whether the log still stands where it is said to. */
const maxSilentMillis = 1_000
/** Watchers on other nodes are told where the log stands this often; those here look for themselves. */
const heartbeatMillis = 1_000
/** Rows that may wait for one watcher; it then starts again from the journal. */
const maxBehind = 1_024
const noEvents = new Uint8Array(0)
