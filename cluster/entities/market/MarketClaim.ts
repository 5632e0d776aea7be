/** One node's claim on a market's log: the engine state, the uncommitted rows, and the rebuild of both after a loss. */
import type { Instrument } from "@venue/domain/Instrument"
import { marketStream } from "@venue/domain/Market"
import * as Engine from "@venue/matching/Engine"
import {
  type Appender,
  Journal,
  type JournalShape,
  type JournalUnavailable,
  NotOwner,
  type Replay
} from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { type Duration, Effect, Schedule, type Scope } from "effect"
import type { CommittedBatch } from "../../feed/Batch.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import * as MarketSnapshot from "./MarketSnapshot.ts"
import * as PendingRows from "./PendingRows.ts"

export interface MarketClaim {
  /** Claims the log and replays it. Retries while the journal is unavailable. */
  readonly load: Effect.Effect<void, JournalUnavailable | NotOwner>
  readonly observe: (observer: LogObserver) => void
  /** Returns the state after the newest decision, committed or not. Each claim creates a new engine. */
  readonly engine: () => Engine.Engine
  readonly pending: PendingRows.PendingRows
  readonly head: () => { readonly epoch: number; readonly seq: number }
  readonly isHeld: () => boolean
  /** Returns the latest time at which the journal confirmed that no other owner had claimed the log. */
  readonly provenAtMillis: () => number
  /** Requests a flush of the open row. */
  readonly wake: () => void
  /** Discards the state and claims the log again after a delay. Calls `loaded` once the log is claimed. */
  readonly rebuild: (after?: Duration.Input, loaded?: () => void) => void
  readonly stop: () => void
}

export interface LogObserver {
  readonly committed?: (batch: CommittedBatch) => void
  /** Called when the log is claimed again after a loss. Rows might have been committed in between. */
  readonly reclaimed?: () => void
  /** Called when this node stops serving the market. */
  readonly ended?: () => void
}

/** Creates a claim that is not loaded yet. `owned` returns whether the market's shard is assigned to this node. */
export const make = Effect.fnUntraced(function* (
  instrument: Instrument,
  owned: Effect.Effect<boolean>
): Effect.fn.Return<MarketClaim, never, Journal | Scope.Scope> {
  const journal = yield* Journal
  const venue = yield* VenueSettings
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const stream = marketStream(instrument.symbol)
  // Read for each order, because operators change the limit while the market runs.
  const settings: Engine.Settings = {
    get maxOpenOrders() {
      return venue.maxOpenOrdersPerSymbol
    }
  }
  let engine = Engine.make(instrument, settings)
  let at = { epoch: 0, seq: 0 }
  let appender: Appender | undefined
  const pending = PendingRows.make()
  const observers: Array<LogObserver> = []

  const load = Effect.gen(function* () {
    if (!(yield* owned)) return yield* new NotOwner({ stream })
    // Frees the old state before the new one is built.
    engine = Engine.make(instrument, settings)
    const replayed = yield* claimed(journal, instrument, settings, owned)
    engine = replayed.engine
    at = replayed.at
    appender = journal.append({ stream, isBelieved: true, collect, committed, lost }, at)
    // Retries here, because the cluster library would restart a failed entity with growing delays.
  }).pipe(Effect.retry({ schedule: again, while: (error) => error._tag === "JournalUnavailable" }))

  const collect = () => {
    const events = pending.collect(engine)
    return events && { events }
  }
  const committed = (seq: number) => {
    const { answers, dones, events, levels, row } = pending.committed()
    at = { epoch: at.epoch, seq }
    const batch = { instrument, epoch: at.epoch, seq, events, levels, row }
    for (const observer of observers) observer.committed?.(batch)
    for (const done of dones) done(true)
    for (const answer of answers) answer(seq)
  }
  // A fenced log has a new owner, whom an immediate claim would fence in turn, so the rebuild waits first.
  const lost = (why: "fenced" | "unknown") => rebuild(why === "fenced" ? pause : undefined)

  /** Drops uncommitted decisions. */
  const stop = () => {
    appender?.close()
    appender = undefined
    pending.abandon()
  }
  const rebuild: MarketClaim["rebuild"] = (after, loaded) => {
    stop()
    run(
      (after === undefined ? load : Effect.delay(load, after)).pipe(
        Effect.andThen(
          Effect.sync(() => {
            for (const observer of observers) observer.reclaimed?.()
            loaded?.()
          })
        ),
        Effect.catchCause((cause) =>
          Effect.andThen(
            Effect.logWarning(`market ${instrument.symbol} is no longer served by this node`, cause),
            Effect.sync(() => {
              for (const observer of observers) observer.ended?.()
            })
          )
        ),
        Effect.forkIn(scope)
      )
    )
  }

  return {
    load,
    observe: (observer) => void observers.push(observer),
    engine: () => engine,
    pending,
    head: () => at,
    isHeld: () => appender !== undefined,
    provenAtMillis: () => appender?.provenAtMillis() ?? -Infinity,
    wake: () => appender?.wake(),
    rebuild,
    stop
  }
})

/** Claims the log and replays it into a new engine. */
const claimed = Effect.fnUntraced(function* (
  journal: JournalShape,
  instrument: Instrument,
  settings: Engine.Settings,
  owned: Effect.Effect<boolean>
) {
  let engine = Engine.make(instrument, settings)
  const replay: Replay = {
    restore: (state) => {
      const stored = MarketSnapshot.decode(state)
      if (stored === undefined) return false
      engine = Engine.restore(instrument, settings, stored)
      return true
    },
    replay: (row) => {
      if (row.events.length > 0) for (const event of MarketRecord.decode(row.events)) Engine.apply(engine, event)
    }
  }
  const at = yield* journal.claim(marketStream(instrument.symbol), replay, owned)
  Engine.touched(engine)
  return { engine, at }
})

const again = Schedule.spaced("200 millis")
/**
 * Delay before a fenced owner claims again. Gives a node that was frozen enough time to detect that its shards have
 * moved.
 */
export const pause = "1 second"
