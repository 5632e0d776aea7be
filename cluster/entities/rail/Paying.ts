/**
 * Withdrawals of a rail, from what is queued to what has arrived or goes back:
 *
 *     SUBMITTED with its number → signed → stored → sent → its outcome known → SETTLED, or to be FAILED → given back and FAILED
 *
 * What was begun by an owner that is gone goes on from whatever of these is stored. What an operator wants cancelled is signed
 * once more under its number, as a cancel, and has failed when that is final. One that waits takes its number to be cancelled.
 */
import { isNetwork } from "@venue/domain/Rail"
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
import { submittedAtOnce, type Withdrawal, Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { Clock, Effect, Option, Redacted } from "effect"
import { DeskClient } from "../../clients/DeskClient.ts"
import { noCost } from "../../protocol/Desk.ts"
import * as Turns from "./Turns.ts"

/** What is done of withdrawals at each look: what asks no outside comes first. */
export const make = Effect.fnUntraced(function* (provider: RailProvider) {
  const { giveBack, returns } = yield* makeReturns(provider)
  const send = makeSend(provider)
  const orders = yield* makeOrders(provider)
  const pay = yield* makePay(provider, { orders, send })
  const outcomes = yield* makeOutcomes(provider, { giveBack, pay, send })
  return { returns, outcomes, queue: yield* makeQueue(provider, { orders, pay }) }
})

/** Gives the gross amount back, which is the last step too. */
const makeReturns = Effect.fnUntraced(function* ({ rail }: RailProvider) {
  const desks = yield* DeskClient
  const { ending } = yield* Withdrawals
  const giveBack = ({ ending, reason, userId, withdrawalId }: Withdrawal) =>
    ending === null
      ? Effect.void
      : desks
          .ask(userId, (desk) =>
            desk.ReturnWithdrawal({ userId, cost: noCost, withdrawalId, ending, reason: reason ?? "" })
          )
          .pipe(
            Effect.catchTags({
              // Said again at the next look.
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

/** What is said of a withdrawal to whoever signs; why it is not signed is kept for an operator, who has to look. */
const makeOrders = Effect.fnUntraced(function* ({ rail }: RailProvider) {
  const { details } = yield* BankAccounts
  const { refuse } = yield* Withdrawals
  const destinationOf = ({ destination, method }: Withdrawal) =>
    isNetwork(method) ? Effect.succeedSome(Redacted.make(destination)) : details(destination)
  const order = Effect.fnUntraced(function* (
    withdrawal: Withdrawal,
    sequence: number,
    previous: ReadonlyArray<Payment>
  ) {
    const { amount, cancelledBy, fee, method, withdrawalId } = withdrawal
    const purpose = cancelledBy === null ? ("pay" as const) : ("cancel" as const)
    const destination = yield* destinationOf(withdrawal)
    if (Option.isNone(destination) && purpose === "pay")
      return yield* new SigningRefused({ rail, reason: "the bank account that it goes to is not there any more" })
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
  /** None where it is refused. */
  const unlessRefused = <A>({ withdrawalId }: Withdrawal, work: Effect.Effect<A, Failure | SigningRefused>) =>
    work.pipe(
      Effect.asSome,
      Effect.catchTag("SigningRefused", ({ reason }) =>
        Effect.gen(function* () {
          if (yield* refuse(withdrawalId, reason))
            yield* Effect.logError(`withdrawal ${withdrawalId} is not signed: ${reason}`)
          return Option.none<A>()
        })
      )
    )
  return { order, unlessRefused }
})
type Failure = DatabaseUnavailable | RailUnavailable
type Orders = Effect.Success<ReturnType<typeof makeOrders>>

/**
 * Signs the next payment of one that has its number, and stores it before it is sent. Where none can be signed now, the one before
 * it is sent again: the outside may have forgotten it, and it can come as it is.
 */
const makePay = Effect.fnUntraced(function* (
  provider: RailProvider,
  { orders, send }: { readonly orders: Orders; readonly send: Send }
) {
  const { attempt } = yield* Withdrawals
  return Effect.fnUntraced(function* (withdrawal: Withdrawal, sequence: number, previous: ReadonlyArray<Payment>) {
    const last = previous.at(-1)
    const isUnwanted = withdrawal.cancelledBy !== null && last?.purpose === "pay"
    const again = last === undefined || isUnwanted ? Effect.void : send.again(withdrawal, last)
    const payment = yield* orders
      .unlessRefused(withdrawal, Effect.flatMap(orders.order(withdrawal, sequence, previous), provider.sign))
      .pipe(Effect.tapError(() => again))
    if (Option.isNone(payment)) return yield* again
    // Where another owner was first, what was signed here is never sent.
    if (yield* attempt(withdrawal.withdrawalId, payment.value)) yield* send.send(withdrawal, payment.value)
  })
})
type Pay = Effect.Success<ReturnType<typeof makePay>>

/** What is outstanding is sent again now and then: whoever stored it may have ended before it was sent. */
const makeSend = (provider: RailProvider) => {
  const sentAtMillis = new Map<string, number>()
  const send = ({ withdrawalId }: Withdrawal, payment: Payment) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      sentAtMillis.set(withdrawalId, nowMillis)
      return provider.send(payment)
    })
  const again = (withdrawal: Withdrawal, payment: Payment) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) =>
      nowMillis - (sentAtMillis.get(withdrawal.withdrawalId) ?? -Infinity) < sendAgainMillis
        ? Effect.void
        : send(withdrawal, payment)
    )
  /** What was sent so long ago would be sent again in any case. */
  const forget = Effect.map(Clock.currentTimeMillis, (nowMillis) => {
    for (const [id, atMillis] of sentAtMillis) if (nowMillis - atMillis >= sendAgainMillis) sentAtMillis.delete(id)
  })
  return { send, again, forget }
}

const sendAgainMillis = 30_000

type Send = ReturnType<typeof makeSend>
/** Asks what has become of each that was sent; what has a number and no payment is signed. */
const makeOutcomes = Effect.fnUntraced(function* (
  provider: RailProvider,
  on: {
    readonly giveBack: Effect.Success<ReturnType<typeof makeReturns>>["giveBack"]
    readonly pay: Pay
    readonly send: Send
  }
) {
  const { rail } = provider
  const { end, find, payments, refuse, settle, submitted } = yield* Withdrawals
  const turns = Turns.make<Withdrawal>(({ withdrawalId }) => `withdrawal ${withdrawalId}`)

  const look = Effect.fnUntraced(function* (withdrawal: Withdrawal) {
    const { cancelledBy, withdrawalId } = withdrawal
    const stored = yield* payments(withdrawalId)
    const last = stored.at(-1)
    const next = on.pay(withdrawal, withdrawal.sequence!, stored)
    if (last === undefined) return yield* next
    const outcome = yield* provider.outcome(stored)
    switch (outcome._tag) {
      case "Pending":
        if (outcome.reason !== undefined && (yield* refuse(withdrawalId, outcome.reason)))
          yield* Effect.logError(`withdrawal ${withdrawalId} cannot come: ${outcome.reason}`)
        return yield* cancelledBy !== null && last.purpose === "pay" ? next : on.send.again(withdrawal, last)
      case "Overdue":
        return yield* next
      case "Settled":
        yield* settle(withdrawal, outcome.reference)
        return
      case "Failed": {
        const { reason, reference } = outcome
        if (!(yield* end(withdrawalId, { ending: "FAILED", by: railActor(rail), reason, reference }))) return
        const ended = yield* find(withdrawalId)
        if (Option.isSome(ended)) yield* on.giveBack(ended.value)
      }
    }
  })

  /** Where there are more than are asked about at one look, those after them have their turn at the next. */
  let after = -1
  return Effect.gen(function* () {
    const some = yield* submitted(rail, after)
    after = some.length < submittedAtOnce ? -1 : some.at(-1)!.sequence!
    yield* on.send.forget
    yield* turns.each(some, look)
  })
})

/** Those that wait leave one after the other, each with the number after the last. */
const makeQueue = Effect.fnUntraced(function* (
  provider: RailProvider,
  { orders, pay }: { readonly orders: Orders; readonly pay: Pay }
) {
  const { rail } = provider
  const { mayWithdraw } = yield* VenueModes
  const { hasUnsigned, promised, queued, sequences, submit } = yield* Withdrawals
  return Effect.gen(function* () {
    /** It stays free until a withdrawal takes it. */
    let sequence: number | undefined
    // What is to be cancelled comes first, and goes on whether money may leave or not.
    for (const withdrawal of yield* queued(rail, maxAtOnce)) {
      // The statement that submits asks for itself: this only spares questions.
      if (withdrawal.cancelledBy === null && !mayWithdraw()) return
      // Nothing could come before it, so what is behind it is better off in the queue.
      if (provider.isOrdered && (yield* hasUnsigned(rail))) return
      if (sequence === undefined) {
        const next = yield* orders.unlessRefused(withdrawal, Effect.flatMap(sequences(rail), provider.nextSequence))
        // Nor is there one for those behind it.
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
      // Another owner was first, it may not leave any more, or it is to be cancelled by now.
      if (!(yield* submit(withdrawal, sequence))) return
      yield* pay(withdrawal, sequence, [])
      sequence = undefined
    }
  })
})

const maxAtOnce = 50
