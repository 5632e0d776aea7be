/** One market's engine and its log. Decisions collect in the open row and take effect when the row is committed. */
import type { Instrument } from "@venue/domain/Instrument"
import type { TakeoverOpened } from "@venue/domain/Liquidation"
import { type MarketCommand, type MarketEvent, marketStream } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Engine from "@venue/matching/Engine"
import { Journal, type JournalShape, type JournalUnavailable, maxRowBytes, type NotOwner } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as Orders from "@venue/telemetry/catalogue/Orders"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Effect, Result, type Scope } from "effect"
import * as Beat from "../../feed/Beat.ts"
import { Unavailable } from "../../protocol/Market.ts"
import * as CancelOnly from "./CancelOnly.ts"
import * as MarketClaim from "./MarketClaim.ts"
import * as MarketSnapshot from "./MarketSnapshot.ts"
import * as MarketTrace from "./MarketTrace.ts"
import type * as PendingRows from "./PendingRows.ts"

export interface MarketLog {
  /** Decides the commands immediately. Calls `done` with true on commit, or false if the outcome is unknown. */
  readonly submit: (commands: ReadonlyArray<MarketCommand>, done: (committed: boolean) => void) => void
  /** Reads the state after all earlier decisions. Returns once the last of them is committed. */
  readonly asOf: <A>(
    read: (engine: Engine.Engine) => A
  ) => Effect.Effect<{ readonly epoch: number; readonly seq: number; readonly value: A }, Unavailable>
  /** Adds an observer. Observers are called in the order in which they were added. */
  readonly observe: (observer: MarketClaim.LogObserver) => void
  /** Returns the claim's epoch and the newest committed row. */
  readonly head: () => { readonly epoch: number; readonly seq: number }
  /** Whether the log is claimed and loaded. */
  readonly serving: () => boolean
  /**
   * Returns the time at which the journal last confirmed that the log has no other owner, or -Infinity while not
   * serving.
   */
  readonly provenAtMillis: () => number
  /**
   * Returns the time at which the fault mode began, or undefined outside it. In fault mode, only commands that reduce
   * risk are executed.
   */
  readonly faultSinceMillis: () => number | undefined
  /** Whether ticks have no effect until the next order, price, trading period, day or claim of the log. */
  readonly isAtRest: () => boolean
  /** Returns the state after all decisions, committed or not, or undefined while not serving. For metrics only. */
  readonly engine: () => Engine.Engine | undefined
  /** Returns the open takeovers, oldest first, or an empty list while not serving. */
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
   * Start of the fault mode, in which prices and ticks are dropped, market time stops, and only commands that reduce
   * risk are executed. It ends when another node or process claims the market.
   */
  let faultSinceMillis: number | undefined
  /**
   * Command that refuses the last command that threw. If it throws too, the fault mode begins instead of another
   * refusal.
   */
  let refusal: MarketCommand | undefined
  const claim = yield* MarketClaim.make(instrument, owned)
  const { pending } = claim
  const trace = yield* MarketTrace.make(instrument.symbol)
  const measureRow = yield* makeMeasureRow(pending)

  const submit: MarketLog["submit"] = (submitted, done) => {
    const open = pending.open()
    if (!claim.isHeld() || open.length >= maxOpenEvents) return done(false)
    const isFaulty = faultSinceMillis !== undefined
    const commands = isFaulty ? submitted.flatMap(CancelOnly.instead) : submitted
    if (commands.length === 0) return done(false)
    const traced = trace(commands)
    const before = open.length
    const nowMillis = isFaulty ? 0 : clock.currentTimeMillisUnsafe()
    const decided = decide(claim.engine(), commands, nowMillis, open)
    if (decided.fault !== undefined) {
      recover(commands[decided.count]!, decided.fault.error)
      return done(false)
    }
    if (before === 0 && open.length > 0) measureRow()
    if (open.length > before) claim.wake()
    // The row is full, so the caller retries all commands. Commands that were already decided then return their first
    // outcome.
    if (decided.count < commands.length) return done(false)
    pending.await(traced === undefined ? done : traced.decided(done))
  }
  /** Refuses a command that threw, and rebuilds the state from the journal, because it might be corrupted. */
  const recover = (command: MarketCommand, error: unknown) => {
    run(
      Effect.logError(
        `market ${instrument.symbol}: command ${command._tag} threw an error; the state is rebuilt from the journal`,
        error
      )
    )
    if ("commandId" in command && command !== refusal) {
      const answer = CancelOnly.refusal(command, "REJECTED_FAILED_TO_PROCESS")
      refusal = answer
      return claim.rebuild(undefined, () => submit([answer], () => {}))
    }
    // Prices and ticks cannot be refused and would throw again immediately, so the fault mode begins and the rebuild
    // waits. For a command in `sentOnce`, its sender receives an error instead.
    if (!sentOnce.has(command._tag)) {
      faultSinceMillis ??= clock.currentTimeMillisUnsafe()
      run(Effect.logError(faultText(instrument)))
    }
    claim.rebuild(MarketClaim.pause)
  }

  const asOf = asOfFrom(claim, instrument.symbol)
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
    engine: () => (claim.isHeld() ? claim.engine() : undefined),
    takeovers: () => (claim.isHeld() ? Engine.takeovers(claim.engine()) : [])
  }
})

const asOfFrom =
  (claim: MarketClaim.MarketClaim, symbol: MarketSymbol): MarketLog["asOf"] =>
  (read) =>
    Effect.callback((resume) => {
      const unavailable = Effect.fail(new Unavailable({ what: `market ${symbol}` }))
      if (!claim.isHeld()) return resume(unavailable)
      claim.pending.read(
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

/** Returns a function that measures the open row from its first event to its commit. */
const makeMeasureRow = Effect.fnUntraced(function* (pending: Pick<PendingRows.PendingRows, "await">) {
  const clock = yield* Clock.Clock
  const seconds = yield* Meter.histogram(Orders.orderSeconds, { step: "journal" })
  return () => {
    const openedAt = clock.monotonicTimeNanosUnsafe()
    pending.await((isCommitted) => {
      if (isCommitted) seconds(Number(clock.monotonicTimeNanosUnsafe() - openedAt) / 1e9)
    })
  }
})

/** Saves a snapshot every `snapshotMillis` while the state changes. */
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
 * Number of events in the open row above which commands are rejected and retried by their senders. Such a row still
 * has room for one more command that trades with hundreds of accounts.
 */
const maxOpenEvents = 8_192

/**
 * Decides commands in order and appends their events until the row is full or the engine throws. `count` is the
 * number of decided commands.
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

/** Throws if the events exceed the row size; one command can produce any number of events. */
function assertFits(events: ReadonlyArray<MarketEvent>): void {
  const bytes = MarketRecord.encode(events).length
  if (bytes > maxRowBytes)
    throw new RangeError(`${events.length} events take ${bytes} bytes; the limit of a row is ${maxRowBytes} bytes`)
}

const faultText = ({ symbol }: Instrument): string =>
  `market ${symbol} accepts only cancellations until its node restarts or the market moves to another node`

/** Commands whose senders do not resubmit them automatically. If one throws, the market can continue without it. */
const sentOnce: ReadonlySet<MarketCommand["_tag"]> = new Set([
  "RaiseEpoch",
  "PayDividend",
  "SetTradingState",
  "IntroduceBuilder",
  "TopUpFund",
  "Delist",
  "SplitContract",
  "CancelOrders",
  "SetLimits"
])

/** Half the maximum age of a snapshot. */
const snapshotMillis = 30_000
