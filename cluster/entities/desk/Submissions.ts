/** What a desk does with the orders it is sent: each is charged, checked, and handed on to its market or refused. */
import type { CancelTwap, OrderRequest } from "@venue/domain/Order"
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import type { AddTwap } from "@venue/domain/Twap"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { Clock, Effect, Result } from "effect"
import type { Submission, Submitted } from "../../protocol/Desk.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import { addsRisk } from "./JoinedMarket.ts"
import * as Repeats from "./Repeats.ts"
import * as SilentMarkets from "./SilentMarkets.ts"
import type { Traders } from "./Traders.ts"
import type { DeskTwaps } from "./Twaps.ts"

export interface Submissions {
  /**
   * Answers in the same order, at once when everybody is awake; undefined when somebody has to be woken first. A call of a
   * function does not come twice, so no answer is remembered: that would cost up to two microseconds an order.
   */
  readonly now: (submissions: ReadonlyArray<Submission>) => ReadonlyArray<Submitted> | undefined
  /** The same once everybody is awake, of a call that the cluster may deliver twice. Who cannot be woken is refused. */
  readonly submit: (submissions: ReadonlyArray<Submission>) => Effect.Effect<ReadonlyArray<Submitted>>
}

export const make = Effect.fnUntraced(function* (deskId: string, traders: Traders, twaps: DeskTwaps) {
  const clock = yield* Clock.Clock
  const { instruments } = yield* VenueSettings
  const silent = yield* SilentMarkets.make
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const submitOne = ({ cost, request, userId }: Submission): Submitted => {
    const commandId = request.commandId.text
    const waitMillis = traders.spend(userId, cost, clock.currentTimeMillisUnsafe())
    if (waitMillis > 0) return { _tag: "RateLimited", commandId, retryAfterMillis: waitMillis }
    if (request._tag === "AddTwap" || request._tag === "CancelTwap") return ofTwap(userId, request)
    if (request._tag !== "CancelStop" && request._tag !== "ModifyStop") return enter(userId, request)
    const trader = traders.get(userId)
    // What stops there are is known once every market has told.
    if (trader === undefined || !trader.isLive()) return refused(commandId, { _tag: "AccountLoading" })
    const target = Ledger.stopTarget(trader.ledger, request)
    return target === undefined ? refused(commandId, { _tag: "NoSuchStop" }) : enter(userId, target)
  }
  /** What a cancel finds none for is refused by its market, in its place among the other answers. */
  const ofTwap = (userId: UserId, request: AddTwap | CancelTwap): Submitted => {
    const commandId = request.commandId.text
    const trader = traders.get(userId)
    if (trader === undefined) return refused(commandId, { _tag: "AccountLoading" })
    if (request._tag === "CancelTwap") {
      const isFound = twaps.cancel(trader, request)
      return isFound ? { _tag: "HandedOn", commandId, symbols: [request.symbol] } : enter(userId, request)
    }
    const refusal = twaps.add(trader, request)
    return refusal === undefined
      ? { _tag: "HandedOn", commandId, symbols: [request.symbol] }
      : refused(commandId, refusal)
  }
  const enter = (userId: UserId, request: OrderRequest): Submitted => {
    const commandId = request.commandId.text
    const all = request._tag === "CancelAllOrders" && request.symbol === ""
    if (!all && !instruments.has(request.symbol)) return { _tag: "BadSymbol", commandId }
    const trader = traders.get(userId)
    if (trader === undefined) return refused(commandId, { _tag: "AccountLoading" })
    if (addsRisk(request) && !silent.mayAddRisk(trader, request.symbol)) {
      return refused(commandId, { _tag: "MarketSilent", symbol: request.symbol })
    }
    if (!trader.ledger.accounts.has(request.accountId)) {
      return refused(commandId, { _tag: "UnknownAccount", accountId: request.accountId })
    }
    const symbols = all ? trader.symbols() : [request.symbol]
    for (const symbol of symbols) {
      if (!trader.enter(all ? { ...request, symbol } : request)) {
        return refused(commandId, { _tag: "TooManyWaiting", symbol })
      }
    }
    return { _tag: "HandedOn", commandId, symbols }
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
  const submitAll = (submissions: ReadonlyArray<Submission>) => submissions.map(guarded)
  const repeats = Repeats.make(submitAll)
  const isAwake = ({ userId }: Submission) => traders.get(userId) !== undefined

  return {
    now: (submissions) => (submissions.every(isAwake) ? submitAll(submissions) : undefined),
    submit: (submissions) =>
      Effect.map(
        Effect.forEach(
          new Set(submissions.map(({ userId }) => userId)),
          (userId) => Effect.ignore(traders.wake(userId)),
          { discard: true, concurrency: "unbounded" }
        ),
        () => repeats.submit(submissions, clock.currentTimeMillisUnsafe())
      )
  } satisfies Submissions as Submissions
})

const refused = (commandId: string, refusal: SubmitRefusal): Submitted => ({ _tag: "Refused", commandId, refusal })
