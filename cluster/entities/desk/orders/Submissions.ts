/** What a desk does with the orders it is sent: each is charged, checked, and handed on to its market or refused. */
import type { CancelTwap, OrderRequest } from "@venue/domain/Order"
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import type { AddTwap } from "@venue/domain/Twap"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Clock, Effect, Result } from "effect"
import type { Submission, Submitted } from "../../../protocol/Desk.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import type { Disconnects } from "../connections/Disconnects.ts"
import { addsRisk } from "../markets/JoinedMarket.ts"
import * as Repeats from "../traders/Repeats.ts"
import * as SilentMarkets from "../markets/SilentMarkets.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"
import type { DeskTwaps } from "./Twaps.ts"

/** A submission that was handed on to no market. */
export type Objection = Extract<Submitted, { readonly _tag: "BadSymbol" | "Refused" }>

export interface Submissions {
  /**
   * Answers in the same order, at once when everybody is awake; undefined when somebody has to be woken first. A call of a
   * function does not come twice, so no answer is remembered: that would cost up to two microseconds an order.
   */
  readonly now: (submissions: ReadonlyArray<Submission>) => ReadonlyArray<Submitted> | undefined
  /** Why nothing of a request would go to a market, whatever its ledger says of it. */
  readonly objection: (trader: Trader, request: OrderRequest) => Objection | undefined
  /** The same once everybody is awake, of a call that may come twice. What is of somebody who is not awake soon comes again. */
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

  const { decide, objection } = yield* makeDecide(traders, twaps, disconnects)
  const submitOne = (submission: Submission): Submitted => {
    const answer = decide(submission)
    return answer._tag === "HandedOn" || answer._tag === "BadSymbol" ? answer : unlessDone(traders, submission, answer)
  }
  /** A thrown error is a fault of ours: it costs its own trader a new start from the journal, and nobody else anything. */
  const guarded = (submission: Submission): Submitted => {
    const done = Result.try(() => submitOne(submission))
    if (Result.isSuccess(done)) return done.success
    const { request, userId } = submission
    run(Effect.logError(`desk ${deskId}: ${request._tag} threw; its trader is loaded again`, done.failure))
    traders.drop(userId)
    return refused(request.commandId.text, { _tag: "Faulted" })
  }
  /** What follows one that comes again comes again too, so that a trader's keep their order. */
  const submitAll = (submissions: ReadonlyArray<Submission>) => {
    let undecided: Set<UserId> | undefined
    return submissions.map((submission) => {
      const { request, userId } = submission
      if (undecided?.has(userId)) return refused(request.commandId.text, { _tag: "AccountLoading" })
      const answer = guarded(submission)
      if (Repeats.isUndecided(answer)) (undecided ??= new Set()).add(userId)
      return answer
    })
  }
  const repeats = Repeats.make(submitAll, ({ userId }) => traders.get(userId))
  const isAwake = ({ userId }: Submission) => traders.get(userId) !== undefined

  return {
    objection,
    now: (submissions) => (submissions.every(isAwake) ? submitAll(submissions) : undefined),
    submit: (submissions) =>
      Effect.map(
        Effect.forEach(
          new Set(submissions.map(({ userId }) => userId)),
          (userId) => Effect.ignore(Effect.timeout(traders.wake(userId), patience)),
          { discard: true, concurrency: "unbounded" }
        ),
        () => repeats.submit(submissions, clock.currentTimeMillisUnsafe())
      )
  } satisfies Submissions as Submissions
})

/**
 * A former owner of the trader may have handed it on, of which its market knows: until all have told, nothing is refused, and
 * what was done is answered as that.
 */
const unlessDone = (traders: Traders, { request, userId }: Submission, answer: Submitted): Submitted => {
  const commandId = request.commandId.text
  const symbols = traders.get(userId)?.recordedIn(commandId)
  if (symbols === undefined) return refused(commandId, { _tag: "AccountLoading" })
  return symbols.length === 0 ? answer : { _tag: "HandedOn", commandId, symbols }
}

const closures = { HALTED: "VenueHalted", CANCEL_ONLY: "VenueCancelOnly" } as const

/** Charges one submission, checks it, and hands it on or says why not. */
const makeDecide = Effect.fnUntraced(function* (
  traders: Traders,
  twaps: DeskTwaps,
  disconnects: Pick<Disconnects, "entered" | "isTooLate">
) {
  const clock = yield* Clock.Clock
  const { instruments } = yield* VenueSettings
  const silent = yield* SilentMarkets.make
  const modes = yield* VenueModes
  /** Why the venue takes no orders. */
  const closed = (): SubmitRefusal | undefined => {
    const { publicReason, trading } = modes.now()
    if (trading === "TRADING") return undefined
    return { _tag: closures[trading], ...(publicReason === null ? {} : { publicReason }) }
  }

  const decide = ({ connectionId, cost, request, userId }: Submission): Submitted => {
    const commandId = request.commandId.text
    // It comes again, and is charged when it is decided.
    const isOfStop = request._tag === "CancelStop" || request._tag === "ModifyStop"
    const trader = traders.get(userId)
    // What stops there are is known once every market has told.
    if (trader === undefined || (isOfStop && !trader.isLive())) return refused(commandId, { _tag: "AccountLoading" })
    const waitMillis = traders.spend(userId, cost, clock.currentTimeMillisUnsafe())
    if (waitMillis > 0) return { _tag: "RateLimited", commandId, retryAfterMillis: waitMillis }
    if (request._tag === "AddTwap" || request._tag === "CancelTwap") return ofTwap(trader, request)
    if (request._tag !== "CancelStop" && request._tag !== "ModifyStop") return enter(trader, request, connectionId)
    const target = Ledger.stopTarget(trader.ledger, request)
    return target === undefined ? refused(commandId, { _tag: "NoSuchStop" }) : enter(trader, target, connectionId)
  }
  /** What a cancel finds none for is refused by its market, in its place among the other answers. */
  const ofTwap = (trader: Trader, request: AddTwap | CancelTwap): Submitted => {
    const commandId = request.commandId.text
    if (request._tag === "CancelTwap") {
      const isFound = twaps.cancel(trader, request)
      return isFound ? { _tag: "HandedOn", commandId, symbols: [request.symbol] } : enter(trader, request)
    }
    const refusal = closed() ?? twaps.add(trader, request)
    return refusal === undefined
      ? { _tag: "HandedOn", commandId, symbols: [request.symbol] }
      : refused(commandId, refusal)
  }
  const objection: Submissions["objection"] = (trader, request) => {
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
    const objected = objection(trader, request)
    if (objected !== undefined) return objected
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
  return { decide, objection }
})

const isOfAll = ({ _tag, symbol }: OrderRequest): boolean => _tag === "CancelAllOrders" && symbol === ""

const isCancel = ({ _tag }: OrderRequest): boolean =>
  _tag === "CancelOrder" || _tag === "CancelAllOrders" || _tag === "CancelTwap"

/** A call waits so long for those who wake; its other submissions are not to wait for longer. */
const patience = "500 millis"

const refused = (commandId: string, refusal: SubmitRefusal): Objection => ({ _tag: "Refused", commandId, refusal })
