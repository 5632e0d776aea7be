/** One market's machine with its log: what is decided gathers in the open row, and is true once that row is committed. */
import type { Instrument } from "@venue/domain/Instrument"
import { type MarketCommand, type MarketEvent, marketStream } from "@venue/domain/Market"
import * as Engine from "@venue/matching/Engine"
import {
  type Appender,
  Journal,
  type JournalShape,
  type JournalUnavailable,
  maxRowBytes,
  NotOwner,
  type Replay
} from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Clock, type Duration, Effect, Result, Schedule, type Scope } from "effect"
import * as Beat from "../../protocol/Beat.ts"
import { Unavailable } from "../../protocol/Market.ts"
import type { CommittedBatch } from "../../clients/LocalEntities.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import * as CancelOnly from "./CancelOnly.ts"
import * as MarketSnapshot from "./MarketSnapshot.ts"
import * as PendingRows from "./PendingRows.ts"

export interface MarketLog {
  /** Decides now; `done` says whether all of it is committed or that will not be known. */
  readonly submit: (commands: ReadonlyArray<MarketCommand>, done: (committed: boolean) => void) => void
  /** Reads the state as of a committed row: the newest that was decided when asked. */
  readonly asOf: <A>(
    read: (engine: Engine.Engine) => A
  ) => Effect.Effect<{ readonly epoch: number; readonly seq: number; readonly value: A }, Unavailable>
  readonly head: () => { readonly epoch: number; readonly seq: number }
  readonly serving: () => boolean
  /** A tick would change nothing until an order, a price, a period or a day comes, or until the log is served again. */
  readonly isAtRest: () => boolean
}

/**
 * Claims the log and serves it until the scope closes. `owned` answers whether this node still owns the market.
 * `reclaimed` is called when it is served again after it was not.
 */
export const make = Effect.fnUntraced(function* (
  instrument: Instrument,
  owned: Effect.Effect<boolean>,
  publish: (committed: CommittedBatch) => void,
  reclaimed: () => void,
  ended: () => void
): Effect.fn.Return<MarketLog, JournalUnavailable | NotOwner, Journal | Scope.Scope> {
  const journal = yield* Journal
  const venue = yield* VenueSettings
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const stream = marketStream(instrument.symbol)
  const settings = { maxOpenOrders: venue.maxOpenOrdersPerSymbol }
  let engine = Engine.make(instrument, settings)
  let at = { epoch: 0, seq: 0 }
  let appender: Appender | undefined
  /** Its prices cannot be brought up to date: only what takes risk away is done, until another node or process serves it. */
  let cancelOnly = false
  const pending = PendingRows.make()

  const load = Effect.gen(function* () {
    if (!(yield* owned)) return yield* new NotOwner({ stream })
    // The old state makes room for the new.
    engine = Engine.make(instrument, settings)
    const found = yield* claimed(journal, instrument, settings, owned)
    engine = found.engine
    at = found.at
    appender = journal.append({ stream, collect, committed, lost }, at)
  })

  const collect = () => {
    const events = pending.collect(engine)
    return events && { events }
  }
  const committed = (seq: number) => {
    const { answers, dones, events, levels, row } = pending.committed()
    at = { epoch: at.epoch, seq }
    saves.start()
    publish({ instrument, epoch: at.epoch, seq, events, levels, row })
    for (const done of dones) done(true)
    for (const answer of answers) answer(seq)
  }
  /** What was decided and not committed never happened; memory is discarded and the journal asked again. */
  const lost = (why: "fenced" | "unknown") => {
    stop()
    // Whoever fenced this log owns the market. To claim it at once would only fence them in turn.
    rebuild(undefined, why === "fenced" ? pause : undefined)
  }
  const stop = () => {
    appender?.close()
    appender = undefined
    pending.abandon()
  }
  const rebuild = (first: MarketCommand | undefined, after?: Duration.Input) =>
    run(
      (after === undefined ? load : Effect.delay(load, after)).pipe(
        Effect.andThen(
          Effect.sync(() => {
            reclaimed()
            if (first !== undefined) submit([first], () => {})
          })
        ),
        Effect.retry({ schedule: again, while: (error) => error._tag === "JournalUnavailable" }),
        Effect.catchCause((cause) =>
          Effect.andThen(
            Effect.logWarning(`market ${instrument.symbol} is no longer served here`, cause),
            Effect.sync(ended)
          )
        ),
        Effect.forkIn(scope)
      )
    )

  const submit: MarketLog["submit"] = (asked, done) => {
    const open = pending.open()
    if (appender === undefined || open.length >= maxOpenEvents) return done(false)
    const commands = cancelOnly ? asked.flatMap(CancelOnly.instead) : asked
    if (commands.length === 0) return done(false)
    const before = open.length
    const decided = decide(engine, commands, clock.currentTimeMillisUnsafe(), open)
    if (decided.fault !== undefined) {
      poisoned(commands[decided.count]!, decided.fault.error)
      return done(false)
    }
    if (open.length > before) appender.wake()
    // The rest did not fit; those that did are answered from memory when all are sent again.
    if (decided.count < commands.length) return done(false)
    pending.await(done)
  }
  /** A thrown error is a fault of ours: its command is refused, and the state built anew from what is recorded. */
  const poisoned = (command: MarketCommand, error: unknown) => {
    run(Effect.logError(`market ${instrument.symbol}: command ${command._tag} threw; the state is rebuilt`, error))
    stop()
    if ("commandId" in command) return rebuild(CancelOnly.refusal(command, "REJECTED_FAILED_TO_PROCESS"))
    // What has no id cannot be refused and comes again by itself: prices are no longer let in, and nothing comes at once.
    if (command._tag !== "RaiseEpoch") {
      cancelOnly = true
      run(Effect.logError(`market ${instrument.symbol} takes cancels only until it is served anew`))
    }
    rebuild(undefined, pause)
  }

  const asOf: MarketLog["asOf"] = (read) =>
    Effect.callback((resume) => {
      const unavailable = Effect.fail(new Unavailable({ what: `market ${instrument.symbol}` }))
      if (appender === undefined) return resume(unavailable)
      pending.read(
        (state) => {
          if (state === undefined) return () => resume(unavailable)
          const value = read(state)
          return (seq) => resume(seq === undefined ? unavailable : Effect.succeed({ epoch: at.epoch, seq, value }))
        },
        engine,
        at.seq
      )
    })

  const saves = yield* makeSaves(journal, stream, asOf, () => at.seq)

  yield* load
  saves.start()
  yield* Effect.addFinalizer(() => Effect.sync(stop))
  return {
    submit,
    asOf,
    head: () => at,
    serving: () => appender !== undefined,
    isAtRest: () => appender === undefined || Engine.isIdle(engine, clock.currentTimeMillisUnsafe())
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

/** Saves the state now and then, as long as it changes. */
const makeSaves = Effect.fnUntraced(function* (
  journal: JournalShape,
  stream: string,
  asOf: MarketLog["asOf"],
  lastSeq: () => number
) {
  let savedSeq = 0
  const save = Effect.gen(function* () {
    if (lastSeq() === savedSeq) return
    const { seq, value } = yield* asOf((state) => MarketSnapshot.encode(Engine.snapshot(state)))
    yield* journal.saveSnapshot(stream, seq, value)
    savedSeq = seq
  })
  return yield* Beat.make(
    snapshotMillis,
    Effect.map(Effect.exit(save), () => lastSeq() !== savedSeq)
  )
})

/** Events that may wait for one flush, which fit a row with room to spare; beyond it commands are sent again later. */
const maxOpenEvents = 16_384

/**
 * Decides one command after the other into `events` as long as they have room; `count` is how many were. A machine that
 * throws stops at its command.
 */
function decide(
  engine: Engine.Engine,
  commands: ReadonlyArray<MarketCommand>,
  nowMillis: number,
  events: Array<MarketEvent>
): { readonly count: number; readonly fault?: { readonly error: unknown } } {
  for (let count = 0; count < commands.length; count++) {
    if (events.length >= maxOpenEvents) return { count }
    const decided = Result.try(() => {
      Engine.decide(engine, commands[count]!, nowMillis, events)
      if (events.length >= maxOpenEvents) assertFits(events)
    })
    if (Result.isFailure(decided)) return { count, fault: { error: decided.failure } }
  }
  return { count: commands.length }
}

/** One command may bring any number of events, and the row must hold them. */
function assertFits(events: ReadonlyArray<MarketEvent>): void {
  const bytes = MarketRecord.encode(events).length
  if (bytes > maxRowBytes)
    throw new RangeError(`${events.length} events are ${bytes} bytes, and a row holds ${maxRowBytes}`)
}

/** Twice as often as a snapshot must be at most old. */
const snapshotMillis = 30_000

const again = Schedule.spaced("200 millis")
/** A node that was frozen learns within this that its markets have moved. */
const pause = "1 second"
