/** Handles submissions to a desk. Each submission is charged, checked, and either sent to its market or refused. */
import type { CancelTwap, OrderRequest } from "@venue/domain/Order"
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import type { AddTwap } from "@venue/domain/Twap"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { VenueModes } from "@venue/storage/access/VenueModes"
import * as Orders from "@venue/telemetry/catalogue/Orders"
import * as Meter from "@venue/telemetry/Meter"
import { Traces } from "@venue/telemetry/Traces"
import { Clock, Effect, Result, identity } from "effect"
import type { Submission, Submitted } from "../../../protocol/Desk.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import type { Disconnects } from "../connections/Disconnects.ts"
import { addsRisk } from "../markets/JoinedMarket.ts"
import * as Repeats from "../traders/Repeats.ts"
import * as SilentMarkets from "../markets/SilentMarkets.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"
import type { DeskTwaps } from "./Twaps.ts"

export type DeskRefusal = Extract<Submitted, { readonly _tag: "BadSymbol" | "Refused" }>

export interface Submissions {
  /**
   * Returns the replies in the order of the submissions, or undefined if a trader has to be loaded first. Stores no
   * replies for repeats, because a function call is not retried and storing costs up to 2 µs per order.
   */
  readonly now: (submissions: ReadonlyArray<Submission>) => ReadonlyArray<Submitted> | undefined
  /** Returns the refusal for reasons that the ledger does not check, or undefined if no such reason applies. */
  readonly refusalOf: (trader: Trader, request: OrderRequest) => DeskRefusal | undefined
  /**
   * Replies to a call that might be repeated. Loads traders first; submissions for a trader not loaded in time get
   * `AccountLoading`.
   */
  readonly submit: (submissions: ReadonlyArray<Submission>) => Effect.Effect<ReadonlyArray<Submitted>>
}

export const make = Effect.fnUntraced(function* (
  deskId: string,
  traders: Traders,
  twaps: DeskTwaps,
  disconnects: Pick<Disconnects, "entered" | "isTooLate">
) {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const addRefusal = yield* Meter.counters(Orders.deskRefusals)
  const { decide, refusalOf } = yield* makeDecide(traders, twaps, disconnects)
  const submitOne = (submission: Submission): Submitted => {
    const answer = decide(submission)
    return answer._tag === "HandedOn" || answer._tag === "BadSymbol" ? answer : unlessDone(traders, submission, answer)
  }
  /** A thrown error might have corrupted the trader, so it is reloaded from the journal. Other orders continue. */
  const guarded = (submission: Submission): Submitted => {
    const done = Result.try(() => submitOne(submission))
    if (Result.isSuccess(done)) return done.success
    const { request, userId } = submission
    run(Effect.logError(`desk ${deskId}: ${request._tag} threw an error; the trader is reloaded`, done.failure))
    traders.drop(userId)
    return refused(request.commandId.text, { _tag: "Faulted" })
  }
  const handled = yield* traced(guarded)
  /** After an undecided submission, the same user's later submissions stay undecided, so that they keep their order. */
  const submitAll = (submissions: ReadonlyArray<Submission>) => {
    let undecided: Set<UserId> | undefined
    return submissions.map((submission) => {
      const { request, userId } = submission
      if (undecided?.has(userId)) return refused(request.commandId.text, { _tag: "AccountLoading" })
      const answer = handled(submission)
      if (Repeats.isUndecided(answer)) (undecided ??= new Set()).add(userId)
      else if (answer._tag !== "HandedOn") addRefusal({ reason: reasonOf(answer) })
      return answer
    })
  }
  const repeats = Repeats.make(submitAll, ({ userId }) => traders.get(userId))
  const isLoaded = ({ userId }: Submission) => traders.get(userId) !== undefined

  return identity<Submissions>({
    refusalOf,
    now: (submissions) => (submissions.every(isLoaded) ? submitAll(submissions) : undefined),
    submit: (submissions) =>
      Effect.map(
        Effect.forEach(
          new Set(submissions.map(({ userId }) => userId)),
          (userId) => Effect.ignore(Effect.timeout(traders.wake(userId), loadTimeout)),
          { discard: true, concurrency: "unbounded" }
        ),
        () => repeats.submit(submissions, clock.currentTimeMillisUnsafe())
      )
  })
})

/** Records a span for each traced submission. */
const traced = Effect.fnUntraced(function* (handle: (submission: Submission) => Submitted) {
  const traces = yield* Traces
  const clock = yield* Clock.Clock
  if (traces === undefined) return handle
  return (submission: Submission): Submitted => {
    const commandId = submission.request.commandId.text
    if (!traces.isSampled(commandId)) return handle(submission)
    const startNanos = clock.currentTimeNanosUnsafe()
    const answer = handle(submission)
    traces.record({ commandId, step: "desk", startNanos, endNanos: clock.currentTimeNanosUnsafe() })
    return answer
  }
})

/**
 * Returns `answer`, or `HandedOn` if a market has recorded the command for the trader's former owner. Returns
 * `AccountLoading` while the trader is loading, or while a market that might have recorded the command is syncing.
 */
const unlessDone = (traders: Traders, { request, userId }: Submission, answer: Submitted): Submitted => {
  const commandId = request.commandId.text
  const symbols = traders.get(userId)?.recordedIn(commandId)
  if (symbols === undefined) return refused(commandId, { _tag: "AccountLoading" })
  return symbols.length === 0 ? answer : { _tag: "HandedOn", commandId, symbols }
}

const closures = { HALTED: "VenueHalted", CANCEL_ONLY: "VenueCancelOnly" } as const

/** Returns functions that charge and check one submission and send it to its market. */
const makeDecide = Effect.fnUntraced(function* (
  traders: Traders,
  twaps: DeskTwaps,
  disconnects: Pick<Disconnects, "entered" | "isTooLate">
) {
  const clock = yield* Clock.Clock
  const { instruments } = yield* VenueSettings
  const silent = yield* SilentMarkets.make
  const modes = yield* VenueModes
  /** Returns the refusal while the venue does not trade, otherwise undefined. */
  const closed = (): SubmitRefusal | undefined => {
    const { publicReason, trading } = modes.now()
    if (trading === "TRADING") return undefined
    return { _tag: closures[trading], ...(publicReason === null ? {} : { publicReason }) }
  }

  const decide = ({ connectionId, cost, request, userId }: Submission): Submitted => {
    const commandId = request.commandId.text
    // An undecided submission is sent again and is charged only when it is decided.
    const isOfStop = request._tag === "CancelStop" || request._tag === "ModifyStop"
    const trader = traders.get(userId)
    // The trader's stops are complete only once every market is live.
    if (trader === undefined || (isOfStop && !trader.isLive())) return refused(commandId, { _tag: "AccountLoading" })
    const waitMillis = traders.spend(userId, cost, clock.currentTimeMillisUnsafe())
    if (waitMillis > 0) return { _tag: "RateLimited", commandId, retryAfterMillis: waitMillis }
    if (request._tag === "AddTwap" || request._tag === "CancelTwap") return ofTwap(trader, request)
    if (request._tag !== "CancelStop" && request._tag !== "ModifyStop") return enter(trader, request, connectionId)
    const target = Ledger.stopTarget(trader.ledger, request)
    return target === undefined ? refused(commandId, { _tag: "NoSuchStop" }) : enter(trader, target, connectionId)
  }
  /** A cancel without a matching TWAP goes to the market, so that its refusal arrives in order with other responses. */
  const ofTwap = (trader: Trader, request: AddTwap | CancelTwap): Submitted => {
    const commandId = request.commandId.text
    if (request._tag === "CancelTwap") {
      const isCancelled = twaps.cancel(trader, request)
      return isCancelled ? { _tag: "HandedOn", commandId, symbols: [request.symbol] } : enter(trader, request)
    }
    const refusal = closed() ?? twaps.add(trader, request)
    return refusal === undefined
      ? { _tag: "HandedOn", commandId, symbols: [request.symbol] }
      : refused(commandId, refusal)
  }
  const refusalOf: Submissions["refusalOf"] = (trader, request) => {
    const commandId = request.commandId.text
    if (!isOfAll(request) && !instruments.has(request.symbol)) return { _tag: "BadSymbol", commandId }
    const closure = isCancel(request) ? undefined : closed()
    if (closure !== undefined) return refused(commandId, closure)
    if (addsRisk(request) && !silent.mayAddRisk(trader, request.symbol)) {
      return refused(commandId, { _tag: "MarketSilent", symbol: request.symbol })
    }
    return trader.ledger.accounts.has(request.accountId)
      ? undefined
      : refused(commandId, { _tag: "UnknownAccount", accountId: request.accountId })
  }
  const enter = (trader: Trader, request: OrderRequest, connectionId?: string): Submitted => {
    const deskRefusal = refusalOf(trader, request)
    if (deskRefusal !== undefined) return deskRefusal
    const commandId = request.commandId.text
    const all = isOfAll(request)
    if (disconnects.isTooLate(request, connectionId)) return refused(commandId, { _tag: "ConnectionEnded" })
    const symbols = all ? trader.symbols() : [request.symbol]
    for (const symbol of symbols) {
      if (!trader.enter(all ? { ...request, symbol } : request)) {
        return refused(commandId, { _tag: "TooManyWaiting", symbol })
      }
    }
    disconnects.entered(trader, request, connectionId)
    return { _tag: "HandedOn", commandId, symbols }
  }
  return { decide, refusalOf }
})

const reasonOf = (answer: Exclude<Submitted, { readonly _tag: "HandedOn" }>): string =>
  answer._tag === "Refused" ? answer.refusal._tag : answer._tag

const isOfAll = ({ _tag, symbol }: OrderRequest): boolean => _tag === "CancelAllOrders" && symbol === ""

const isCancel = ({ _tag }: OrderRequest): boolean =>
  _tag === "CancelOrder" || _tag === "CancelAllOrders" || _tag === "CancelTwap"

/** Time that a call waits for traders to load; short, because it delays the call's other submissions. */
const loadTimeout = "500 millis"

const refused = (commandId: string, refusal: SubmitRefusal): DeskRefusal => ({ _tag: "Refused", commandId, refusal })
