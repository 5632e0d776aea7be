/**
 * Pays a rail's withdrawals, each in steps that are stored one by one:
 *
 *     SUBMITTED under its number → signed → stored → sent → SETTLED, or end requested → money returned and FAILED
 *
 * A new owner of the rail continues from the last stored step. A cancel request is carried out by signing a cancel
 * under the withdrawal's number; a queued withdrawal first takes a number for its cancel.
 */
import { isNetwork } from "@venue/domain/Rail"
import type { PaymentObstacle } from "@venue/domain/TreasuryReason"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import {
  type Payment,
  type RailProvider,
  type RailUnavailable,
  SigningRefused
} from "@venue/providers/rails/RailProvider"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { railActor } from "@venue/storage/treasury/Steps"
import { isAccepted, submittedAtOnce, type Withdrawal, Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { Clock, Effect, Option, Redacted } from "effect"
import { DeskClient } from "../../clients/DeskClient.ts"
import { noCost } from "../../protocol/Desk.ts"
import * as Turns from "./Turns.ts"

/** Returns the three parts of a poll. `returns` needs only the database and the desks. */
export const make = Effect.fnUntraced(function* (provider: RailProvider) {
  const { giveBack, returns } = yield* makeReturns(provider)
  const sender = makeSender(provider)
  const orders = yield* makeOrders(provider)
  const pay = yield* makePay(provider, { orders, sender })
  const outcomes = yield* makeOutcomes(provider, { giveBack, orders, pay, sender })
  return { returns, outcomes, queue: yield* makeQueue(provider, { orders, pay }) }
})

/** Returns failed and cancelled withdrawals' gross amounts to their traders, in one commit with the final state. */
const makeReturns = Effect.fnUntraced(function* ({ rail }: RailProvider) {
  const desks = yield* DeskClient
  const { ending } = yield* Withdrawals
  const giveBack = ({ ending, reason, userId, withdrawalId }: Withdrawal) =>
    ending === null || reason === null
      ? Effect.die(
          new Error(
            `no final state, or no reason for the final state, is recorded for withdrawal ${withdrawalId}, so its amount cannot be returned`
          )
        )
      : desks
          .ask(userId, (desk) => desk.ReturnWithdrawal({ userId, cost: noCost, withdrawalId, ending, reason }))
          .pipe(
            Effect.catchTags({
              // The next poll repeats the request.
              Unavailable: () => Effect.void,
              RateLimited: () => Effect.void,
              UnknownWithdrawal: Effect.die
            })
          )
  const returns = Effect.flatMap(ending(rail), (all) =>
    Effect.forEach(all, giveBack, { concurrency: 8, discard: true })
  )
  return { giveBack, returns }
})

/** Builds payment orders, and records why a payment cannot be signed. */
const makeOrders = Effect.fnUntraced(function* ({ rail }: RailProvider) {
  const { details } = yield* BankAccounts
  const { change } = yield* Withdrawals
  const destinationOf = ({ destination, method }: Withdrawal) =>
    isNetwork(method) ? Effect.succeedSome(Redacted.make(destination)) : details(destination)
  const order = Effect.fnUntraced(function* (
    withdrawal: Withdrawal,
    sequence: number,
    previous: ReadonlyArray<Payment>
  ) {
    const { amount, fee, method, withdrawalId } = withdrawal
    const purpose = purposeOf(withdrawal)
    const destination = yield* destinationOf(withdrawal)
    if (Option.isNone(destination) && purpose === "pay")
      return yield* new SigningRefused({ rail, obstacle: { _tag: "BankAccountUnlinked" } })
    return {
      withdrawalId,
      destination: Option.getOrElse(destination, () => Redacted.make("")),
      amount: amount - fee,
      paymentRail: isNetwork(method) ? null : method,
      sequence,
      purpose,
      previous
    }
  })
  /** Records a refusal; logs it once. */
  const recordRefusal = Effect.fnUntraced(function* ({ withdrawalId }: Withdrawal, refusal: PaymentObstacle) {
    const changes = yield* change(withdrawalId, { _tag: "RecordRefusal", refusal }).pipe(
      // The withdrawal ended in the meantime.
      Effect.catchTags({
        WithdrawalStepRefused: () => Effect.succeed([]),
        CancelPending: Effect.die,
        UnknownWithdrawal: Effect.die
      })
    )
    if (changes.some(({ _tag }) => _tag === "RefusalRecorded"))
      yield* Effect.logError(`withdrawal ${withdrawalId} could not be signed`, refusal)
  })
  /** Returns the result, or an empty option after recording a refusal to sign. */
  const unlessRefused = <A>(withdrawal: Withdrawal, work: Effect.Effect<A, Failure | SigningRefused>) =>
    work.pipe(
      Effect.asSome,
      Effect.catchTag("SigningRefused", ({ obstacle }) =>
        Effect.as(recordRefusal(withdrawal, obstacle), Option.none<A>())
      )
    )
  return { order, recordRefusal, unlessRefused }
})
type Failure = DatabaseUnavailable | RailUnavailable
type Orders = Effect.Success<ReturnType<typeof makeOrders>>

const purposeOf = ({ cancelledBy }: Withdrawal): Payment["purpose"] => (cancelledBy === null ? "pay" : "cancel")

/**
 * Signs the next payment of a SUBMITTED withdrawal and stores it before sending it. If no payment can be signed now,
 * sends the last one again, because the rail might have lost it and it can still arrive.
 */
const makePay = Effect.fnUntraced(function* (
  provider: RailProvider,
  { orders, sender }: { readonly orders: Orders; readonly sender: Sender }
) {
  const { attempt } = yield* Withdrawals
  return Effect.fnUntraced(function* (withdrawal: Withdrawal, sequence: number, previous: ReadonlyArray<Payment>) {
    const last = previous.at(-1)
    const isUnwanted = withdrawal.cancelledBy !== null && last?.purpose === "pay"
    const resend = last === undefined || isUnwanted ? Effect.void : sender.resend(withdrawal, last)
    const payment = yield* orders
      .unlessRefused(withdrawal, Effect.flatMap(orders.order(withdrawal, sequence, previous), provider.sign))
      .pipe(Effect.tapError(() => resend))
    if (Option.isNone(payment)) return yield* resend
    // If another owner stored a payment first, this payment is never sent.
    if (yield* isAccepted(attempt(withdrawal.withdrawalId, payment.value)))
      yield* sender.send(withdrawal, payment.value)
  })
})
type Pay = Effect.Success<ReturnType<typeof makePay>>

/** Sends payments. Repeats outstanding ones every 30 s, because their owner might have crashed before sending. */
const makeSender = (provider: RailProvider) => {
  const sentAtMillis = new Map<string, number>()
  const send = ({ withdrawalId }: Withdrawal, payment: Payment) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      sentAtMillis.set(withdrawalId, nowMillis)
      return provider.send(payment)
    })
  const resend = (withdrawal: Withdrawal, payment: Payment) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) =>
      nowMillis - (sentAtMillis.get(withdrawal.withdrawalId) ?? -Infinity) < resendMillis
        ? Effect.void
        : send(withdrawal, payment)
    )
  /** Removes the sending times of payments that can be sent again. */
  const prune = Effect.map(Clock.currentTimeMillis, (nowMillis) => {
    for (const [id, atMillis] of sentAtMillis) if (nowMillis - atMillis >= resendMillis) sentAtMillis.delete(id)
  })
  return { send, resend, prune }
}

const resendMillis = 30_000

type Sender = ReturnType<typeof makeSender>

/**
 * Reads each in-flight withdrawal's outcome from the rail. Signs a payment for each withdrawal that has a number but
 * no payment.
 */
const makeOutcomes = Effect.fnUntraced(function* (
  provider: RailProvider,
  {
    giveBack,
    orders,
    pay,
    sender
  }: {
    readonly giveBack: Effect.Success<ReturnType<typeof makeReturns>>["giveBack"]
    readonly orders: Orders
    readonly pay: Pay
    readonly sender: Sender
  }
) {
  const { rail } = provider
  const by = railActor(rail)
  const { change, find, payments, submitted } = yield* Withdrawals
  const turns = Turns.make<Withdrawal>(({ withdrawalId }) => `withdrawal ${withdrawalId}`)

  const advance = Effect.fnUntraced(function* (withdrawal: Withdrawal) {
    const { cancelledBy, withdrawalId } = withdrawal
    const stored = yield* payments(withdrawalId)
    const last = stored.at(-1)
    const attempts = stored.length
    const signNext = pay(withdrawal, withdrawal.sequence!, stored)
    if (last === undefined) return yield* signNext
    const outcome = yield* provider.outcome(stored)
    switch (outcome._tag) {
      case "Pending":
        if (outcome.obstacle !== undefined) yield* orders.recordRefusal(withdrawal, outcome.obstacle)
        return yield* cancelledBy !== null && last.purpose === "pay" ? signNext : sender.resend(withdrawal, last)
      case "Overdue":
        return yield* signNext
      case "Settled":
        yield* isAccepted(change(withdrawalId, { _tag: "Settle", by, reference: outcome.reference, attempts }))
        return
      case "Failed": {
        const { reason, reference } = outcome
        const isEnding = yield* isAccepted(
          change(withdrawalId, { _tag: "RequestEnd", ending: "FAILED", by, reason, reference, attempts })
        )
        if (!isEnding) return
        const ended = yield* find(withdrawalId)
        if (Option.isSome(ended)) yield* giveBack(ended.value)
      }
    }
  })

  /** Last sequence number on the previous page; each poll handles one page. */
  let after = -1
  return Effect.gen(function* () {
    const page = yield* submitted(rail, after)
    after = page.length < submittedAtOnce ? -1 : page.at(-1)!.sequence!
    yield* sender.prune
    yield* turns.each(page, advance)
  })
})

/** Submits queued withdrawals one after another, each under the next number. */
const makeQueue = Effect.fnUntraced(function* (
  provider: RailProvider,
  { orders, pay }: { readonly orders: Orders; readonly pay: Pay }
) {
  const { rail } = provider
  const by = railActor(rail)
  const { mayWithdraw } = yield* VenueModes
  const { change, hasUnsigned, promised, queued, sequences } = yield* Withdrawals
  return Effect.gen(function* () {
    /** The next number, kept until a withdrawal takes it. */
    let sequence: number | undefined
    // Cancels come first, and are submitted even while withdrawals are blocked.
    for (const withdrawal of yield* queued(rail, maxAtOnce)) {
      // The submitting statement checks this condition again. The check here saves requests to the rail.
      if (withdrawal.cancelledBy === null && !mayWithdraw()) return
      // A payment behind an unsigned one could not arrive. Its withdrawal stays queued, where it can still be held
      // back.
      if (provider.isOrdered && (yield* hasUnsigned(rail))) return
      if (sequence === undefined) {
        const next = yield* orders.unlessRefused(withdrawal, Effect.flatMap(sequences(rail), provider.nextSequence))
        // All later withdrawals in the queue would get the same refusal.
        if (Option.isNone(next)) return
        sequence = next.value
      }
      const checked = yield* orders.unlessRefused(
        withdrawal,
        Effect.flatMap(orders.order(withdrawal, sequence, []), (order) =>
          provider.check(order, (fromSequence) => promised(rail, fromSequence))
        )
      )
      if (Option.isNone(checked)) continue
      const submit = { _tag: "Submit", purpose: purposeOf(withdrawal), sequence, by } as const
      // Another owner has submitted the withdrawal, it is no longer allowed to leave, or a cancel was requested.
      if (!(yield* isAccepted(change(withdrawal.withdrawalId, submit)))) return
      yield* pay(withdrawal, sequence, [])
      sequence = undefined
    }
  })
})

const maxAtOnce = 50
