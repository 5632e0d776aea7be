/** One market's machine with its log: what is decided gathers in the open row, and is true once that row is committed. */
import type { Instrument } from "@venue/domain/Instrument"
import type { TakeoverOpened } from "@venue/domain/Liquidation"
import { type MarketCommand, type MarketEvent, marketStream } from "@venue/domain/Market"
import * as Engine from "@venue/matching/Engine"
import { Journal, type JournalShape, type JournalUnavailable, maxRowBytes, type NotOwner } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Clock, Effect, Result, type Scope } from "effect"
import * as Beat from "../../feed/Beat.ts"
import { Unavailable } from "../../protocol/Market.ts"
import * as CancelOnly from "./CancelOnly.ts"
import * as MarketClaim from "./MarketClaim.ts"
import * as MarketSnapshot from "./MarketSnapshot.ts"

export interface MarketLog {
  /** Decides now; `done` says whether all of it is committed or that will not be known. */
  readonly submit: (commands: ReadonlyArray<MarketCommand>, done: (committed: boolean) => void) => void
  /** Reads the state as of a committed row: the newest that was decided when asked. */
  readonly asOf: <A>(
    read: (engine: Engine.Engine) => A
  ) => Effect.Effect<{ readonly epoch: number; readonly seq: number; readonly value: A }, Unavailable>
  /** Adds an observer. Observers are called in the order in which they were added. */
  readonly observe: (observer: MarketClaim.LogObserver) => void
  readonly head: () => { readonly epoch: number; readonly seq: number }
  readonly serving: () => boolean
  /** Nobody else had the log by then; -Infinity while it is not served. */
  readonly provenAtMillis: () => number
  /** Since then a fault of ours keeps prices and time out. */
  readonly faultSinceMillis: () => number | undefined
  /** A tick would change nothing until an order, a price, a period or a day comes, or until the log is served again. */
  readonly isAtRest: () => boolean
  /** Those that are open, the oldest first; none while the log is not served. */
  readonly takeovers: () => ReadonlyArray<TakeoverOpened>
}

/** Claims the log and serves it until the scope closes. `owned` returns whether the market's shard is assigned to this node. */
export const make = Effect.fnUntraced(function* (
  instrument: Instrument,
  owned: Effect.Effect<boolean>
): Effect.fn.Return<MarketLog, JournalUnavailable | NotOwner, Journal | Scope.Scope> {
  const journal = yield* Journal
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  /**
   * Since then prices and time cannot be taken in: only what takes risk away is done, and market time stands still, until another
   * node or process serves it.
   */
  let faultSinceMillis: number | undefined
  /** It answers a command that threw, and must not be refused in its turn. */
  let refusal: MarketCommand | undefined
  const claim = yield* MarketClaim.make(instrument, owned)
  const { pending } = claim

  const submit: MarketLog["submit"] = (asked, done) => {
    const open = pending.open()
    if (!claim.isHeld() || open.length >= maxOpenEvents) return done(false)
    const isFaulty = faultSinceMillis !== undefined
    const commands = isFaulty ? asked.flatMap(CancelOnly.instead) : asked
    if (commands.length === 0) return done(false)
    const before = open.length
    const nowMillis = isFaulty ? 0 : clock.currentTimeMillisUnsafe()
    const decided = decide(claim.engine(), commands, nowMillis, open)
    if (decided.fault !== undefined) {
      poisoned(commands[decided.count]!, decided.fault.error)
      return done(false)
    }
    if (open.length > before) claim.wake()
    // The rest did not fit; those that did are answered from memory when all are sent again.
    if (decided.count < commands.length) return done(false)
    pending.await(done)
  }
  /** A thrown error is a fault of ours: its command is refused, and the state built anew from what is recorded. */
  const poisoned = (command: MarketCommand, error: unknown) => {
    run(Effect.logError(`market ${instrument.symbol}: command ${command._tag} threw; the state is rebuilt`, error))
    if ("commandId" in command && command !== refusal) {
      const answer = CancelOnly.refusal(command, "REJECTED_FAILED_TO_PROCESS")
      refusal = answer
      return claim.rebuild(undefined, () => submit([answer], () => {}))
    }
    // What cannot be refused comes again by itself: prices and time are no longer let in, and nothing comes at once.
    // Whoever asked for one of the others hears that it was not done.
    if (!onceAsked.has(command._tag)) {
      faultSinceMillis ??= clock.currentTimeMillisUnsafe()
      run(Effect.logError(`market ${instrument.symbol} takes cancels only until it is served anew`))
    }
    claim.rebuild(MarketClaim.pause)
  }

  const asOf: MarketLog["asOf"] = (read) =>
    Effect.callback((resume) => {
      const unavailable = Effect.fail(new Unavailable({ what: `market ${instrument.symbol}` }))
      if (!claim.isHeld()) return resume(unavailable)
      pending.read(
        (state) => {
          if (state === undefined) return () => resume(unavailable)
          const value = read(state)
          return (seq) =>
            resume(seq === undefined ? unavailable : Effect.succeed({ epoch: claim.head().epoch, seq, value }))
        },
        claim.engine(),
        claim.head().seq
      )
    })

  const saves = yield* makeSaves(journal, marketStream(instrument.symbol), asOf, () => claim.head().seq)
  claim.observe({ committed: saves.start })

  yield* claim.load
  saves.start()
  yield* Effect.addFinalizer(() => Effect.sync(claim.stop))
  return {
    submit,
    asOf,
    observe: claim.observe,
    head: claim.head,
    serving: claim.isHeld,
    provenAtMillis: claim.provenAtMillis,
    faultSinceMillis: () => faultSinceMillis,
    isAtRest: () => !claim.isHeld() || Engine.isIdle(claim.engine(), clock.currentTimeMillisUnsafe()),
    takeovers: () => (claim.isHeld() ? Engine.takeovers(claim.engine()) : [])
  }
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

/**
 * Events that may wait for one flush, which fit a row with those of one more command that meets hundreds of accounts; beyond
 * it commands are sent again later.
 */
const maxOpenEvents = 8_192

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

/** These do not come by themselves, and a market may go on without them. */
const onceAsked: ReadonlySet<MarketCommand["_tag"]> = new Set([
  "RaiseEpoch",
  "PayDividend",
  "SetTradingState",
  "IntroduceBuilder",
  "TopUpFund",
  "Delist",
  "SplitContract",
  "SetLimits"
])

/** Twice as often as a snapshot must be at most old. */
const snapshotMillis = 30_000
