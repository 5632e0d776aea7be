/** A market's log as this node holds it: its state with the rows on their way, and how both are built anew when it is lost. */
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
import type { CommittedBatch } from "../../clients/LocalEntities.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import * as MarketSnapshot from "./MarketSnapshot.ts"
import * as PendingRows from "./PendingRows.ts"

export interface MarketClaim {
  readonly load: Effect.Effect<void, JournalUnavailable | NotOwner>
  /** With all that was decided; another one after each claim. */
  readonly engine: () => Engine.Engine
  readonly pending: PendingRows.PendingRows
  /** The newest committed row. */
  readonly head: () => { readonly epoch: number; readonly seq: number }
  readonly isHeld: () => boolean
  /** Nobody else had the log by then. */
  readonly provenAtMillis: () => number
  /** The open row has events to commit. */
  readonly wake: () => void
  /** Discards memory and asks the journal again; `loaded` is called once the log is held. */
  readonly rebuild: (after?: Duration.Input, loaded?: () => void) => void
  readonly stop: () => void
}

/** Who is told what becomes of the log, and who says whether this node still owns the market. */
export interface Surroundings {
  readonly owned: Effect.Effect<boolean>
  readonly committed: (committed: CommittedBatch) => void
  /** The log is held again after it was not. */
  readonly reclaimed: () => void
  readonly ended: () => void
}

export const make = Effect.fnUntraced(function* (
  instrument: Instrument,
  { committed: publish, ended, owned, reclaimed }: Surroundings
): Effect.fn.Return<MarketClaim, never, Journal | Scope.Scope> {
  const journal = yield* Journal
  const venue = yield* VenueSettings
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const stream = marketStream(instrument.symbol)
  const settings = { maxOpenOrders: venue.maxOpenOrdersPerSymbol }
  let engine = Engine.make(instrument, settings)
  let at = { epoch: 0, seq: 0 }
  let appender: Appender | undefined
  const pending = PendingRows.make()

  const load = Effect.gen(function* () {
    if (!(yield* owned)) return yield* new NotOwner({ stream })
    // The old state makes room for the new.
    engine = Engine.make(instrument, settings)
    const found = yield* claimed(journal, instrument, settings, owned)
    engine = found.engine
    at = found.at
    appender = journal.append({ stream, isBelieved: true, collect, committed, lost }, at)
    // A build that fails would be tried again by the library, later and later.
  }).pipe(Effect.retry({ schedule: again, while: (error) => error._tag === "JournalUnavailable" }))

  const collect = () => {
    const events = pending.collect(engine)
    return events && { events }
  }
  const committed = (seq: number) => {
    const { answers, dones, events, levels, row } = pending.committed()
    at = { epoch: at.epoch, seq }
    publish({ instrument, epoch: at.epoch, seq, events, levels, row })
    for (const done of dones) done(true)
    for (const answer of answers) answer(seq)
  }
  // Whoever fenced this log owns the market. To claim it at once would only fence them in turn.
  const lost = (why: "fenced" | "unknown") => rebuild(why === "fenced" ? pause : undefined)

  /** What was decided and not committed never happened. */
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
            reclaimed()
            loaded?.()
          })
        ),
        Effect.catchCause((cause) =>
          Effect.andThen(
            Effect.logWarning(`market ${instrument.symbol} is no longer served here`, cause),
            Effect.sync(ended)
          )
        ),
        Effect.forkIn(scope)
      )
    )
  }

  return {
    load,
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

/** Takes the log and builds the state that it holds. */
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
/** A node that was frozen learns within this that its markets have moved. */
export const pause = "1 second"
