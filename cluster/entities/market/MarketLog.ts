/** One market's machine with its log: what is decided gathers in the open row, and is true once that row is committed. */
import type { Instrument } from "@venue/domain/Instrument"
import {
  type Level,
  type MarketCommand,
  type MarketEvent,
  marketStream,
  noEcho,
  type TraderCommand
} from "@venue/domain/Market"
import type { OrderRefusal } from "@venue/domain/Reject"
import * as Engine from "@venue/matching/Engine"
import { type Appender, Journal, type JournalUnavailable, maxRowBytes, NotOwner } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Clock, type Duration, Effect, Result, Schedule, type Scope } from "effect"
import * as Beat from "../../protocol/Beat.ts"
import { Unavailable } from "../../protocol/Market.ts"
import type { CommittedBatch } from "../../clients/LocalEntities.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import * as MarketSnapshot from "./MarketSnapshot.ts"

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
  readonly isSettled: () => boolean
}

interface OpenRow {
  events: Array<MarketEvent>
  dones: Array<(committed: boolean) => void>
  reads: Array<Read>
}

/** Takes its value from the state a row leaves behind, or from nothing; what it returns is told the seq of that row. */
type Read = (engine: Engine.Engine | undefined) => (seq: number | undefined) => void

interface FlyingRow {
  readonly events: ReadonlyArray<MarketEvent>
  readonly levels: ReadonlyArray<Level>
  readonly row: Uint8Array
  readonly dones: Array<(committed: boolean) => void>
  readonly answers: Array<(seq: number | undefined) => void>
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
  let open: OpenRow = emptyRow()
  /** Its prices cannot be brought up to date: only what takes risk away is done, until another node or process serves it. */
  let cancelOnly = false
  const flying: Array<FlyingRow> = []

  const load = Effect.gen(function* () {
    if (!(yield* owned)) return yield* new NotOwner({ stream })
    engine = Engine.make(instrument, settings)
    at = yield* journal.claim(
      stream,
      {
        restore: (state) => {
          const stored = MarketSnapshot.decode(state)
          if (stored === undefined) return false
          engine = Engine.restore(instrument, settings, stored)
          return true
        },
        replay: (row) => {
          if (row.events.length > 0) for (const event of MarketRecord.decode(row.events)) Engine.apply(engine, event)
        }
      },
      owned
    )
    Engine.touched(engine)
    appender = journal.append({ stream, seal, committed, lost }, at)
  })

  const seal = () => {
    if (open.events.length === 0) return undefined
    const { dones, events, reads } = open
    open = emptyRow()
    const row = MarketRecord.encode(events)
    flying.push({ events, levels: Engine.touched(engine), row, dones, answers: reads.map((read) => read(engine)) })
    return { events: row }
  }
  const committed = (seq: number) => {
    const { answers, dones, events, levels, row } = flying.shift()!
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
    const rows = flying.splice(0)
    const dones = [...rows, open].flatMap((row) => row.dones)
    const answers = [...rows.flatMap((row) => row.answers), ...open.reads.map((read) => read(undefined))]
    open = emptyRow()
    for (const done of dones) done(false)
    for (const answer of answers) answer(undefined)
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
    if (appender === undefined || open.events.length >= maxOpenEvents) return done(false)
    const commands = cancelOnly ? asked.flatMap(lessened) : asked
    if (commands.length === 0) return done(false)
    const now = clock.currentTimeMillisUnsafe()
    const before = open.events.length
    let next = 0
    const decided = Result.try(() => {
      for (; next < commands.length && open.events.length < maxOpenEvents; next++) {
        Engine.decide(engine, commands[next]!, now, open.events)
        if (open.events.length >= maxOpenEvents) assertFits(open.events)
      }
    })
    if (Result.isFailure(decided)) {
      poisoned(commands[next]!, decided.failure)
      return done(false)
    }
    if (open.events.length > before) appender.wake()
    // The rest did not fit; those that did are answered from memory when all are sent again.
    if (next < commands.length) return done(false)
    if (open.events.length > 0) open.dones.push(done)
    else if (flying.length > 0) flying.at(-1)!.dones.push(done)
    else done(true)
  }
  /** A thrown error is a fault of ours: its command is refused, and the state built anew from what is recorded. */
  const poisoned = (command: MarketCommand, error: unknown) => {
    run(Effect.logError(`market ${instrument.symbol}: command ${command._tag} threw; the state is rebuilt`, error))
    stop()
    if ("commandId" in command) return rebuild(refusal(command, "REJECTED_FAILED_TO_PROCESS"))
    // What has no id cannot be refused and comes again by itself: prices are no longer let in, and nothing comes at once.
    if (command._tag !== "RaiseEpoch") {
      cancelOnly = true
      run(Effect.logError(`market ${instrument.symbol} takes cancels only until it is served anew`))
    }
    rebuild(undefined, pause)
  }

  const asOf: MarketLog["asOf"] = (read) =>
    Effect.callback((resume) => {
      if (appender === undefined) {
        return resume(Effect.fail(new Unavailable({ what: `market ${instrument.symbol}` })))
      }
      const settle = (state: Engine.Engine | undefined) => {
        const value = state === undefined ? undefined : { read: read(state) }
        return (seq: number | undefined) =>
          resume(
            seq === undefined || value === undefined
              ? Effect.fail(new Unavailable({ what: `market ${instrument.symbol}` }))
              : Effect.succeed({ epoch: at.epoch, seq, value: value.read })
          )
      }
      if (open.events.length > 0) open.reads.push(settle)
      else if (flying.length > 0) flying.at(-1)!.answers.push(settle(engine))
      else settle(engine)(at.seq)
    })

  let savedSeq = 0
  const save = Effect.gen(function* () {
    if (at.seq === savedSeq) return
    const { seq, value } = yield* asOf((state) => MarketSnapshot.encode(Engine.snapshot(state)))
    yield* journal.saveSnapshot(stream, seq, value)
    savedSeq = seq
  })
  const saves = yield* Beat.make(
    snapshotMillis,
    Effect.map(Effect.exit(save), () => at.seq !== savedSeq)
  )

  yield* load
  saves.start()
  yield* Effect.addFinalizer(() => Effect.sync(stop))
  return {
    submit,
    asOf,
    head: () => at,
    serving: () => appender !== undefined,
    isSettled: () => appender === undefined || Engine.isIdle(engine, clock.currentTimeMillisUnsafe())
  }
})

/** Facts that may wait for one flush, which fit a row with room to spare; beyond it commands are sent again later. */
const maxOpenEvents = 16_384

/** One command may bring any number of facts, and the row must hold them. */
function assertFits(events: ReadonlyArray<MarketEvent>): void {
  const bytes = MarketRecord.encode(events).length
  if (bytes > maxRowBytes)
    throw new RangeError(`${events.length} facts are ${bytes} bytes, and a row holds ${maxRowBytes}`)
}

/** Twice as often as a snapshot must be at most old. */
const snapshotMillis = 30_000

const again = Schedule.spaced("200 millis")
/** A node that was frozen learns within this that its markets have moved. */
const pause = "1 second"

const emptyRow = (): OpenRow => ({ events: [], dones: [], reads: [] })

/** What a market that takes cancels only does instead. */
function lessened(command: MarketCommand): ReadonlyArray<MarketCommand> {
  switch (command._tag) {
    case "Tick":
    case "Observe":
      return []
    case "Place":
    case "Modify":
    case "Close":
      return [refusal(command, "REJECTED_MARKET_CLOSED")]
    default:
      return [command]
  }
}

/** The recorded answer to a command that is not carried out. */
function refusal(command: TraderCommand, status: OrderRefusal): MarketCommand {
  const { accountId, commandId, expiresAtMillis, traderEpoch, userId } = command
  return {
    _tag: "Refuse",
    commandId,
    expiresAtMillis,
    traderEpoch,
    userId,
    accountId,
    status,
    echo: "clientOrderId" in command ? { ...noEcho, clientOrderId: command.clientOrderId } : noEcho
  }
}
