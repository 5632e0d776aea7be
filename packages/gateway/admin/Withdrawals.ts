/** Handles the operator endpoints for withdrawals: list, read, approve, reject, and cancel a payment. */
import { AdminApi } from "@venue/api/admin/Api"
import { listDefaults, reviewedWithdrawal } from "@venue/api/admin/Withdrawals"
import { instant } from "@venue/api/Digits"
import { Operator } from "@venue/api/admin/Operator"
import * as Deciders from "@venue/auth/access/Deciders"
import { moneyScale } from "@venue/domain/Decimal"
import type { WithdrawalCommand } from "@venue/domain/WithdrawalSteps"
import * as WithdrawalSteps from "@venue/domain/WithdrawalSteps"
import * as Count from "@venue/postgres/Count"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import { WithdrawalDecisions } from "@venue/storage/treasury/WithdrawalDecisions"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import { type Withdrawal, Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { Clock, Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  AdminApi,
  "withdrawals",
  Effect.fnUntraced(function* (handlers) {
    const decisions = yield* WithdrawalDecisions
    const decide = yield* makeDecide
    const locate = yield* makeLocate
    const cancel = yield* makeCancel
    const twoPeopleAbove = yield* makeTwoPeopleAbove
    const withdrawals = yield* Withdrawals
    const refusals = yield* apiProblems
    const unavailable = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }
    const summary = (withdrawal: Withdrawal) =>
      reviewedWithdrawal(withdrawal, peopleNeeded(withdrawal, twoPeopleAbove()))

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query }) {
          const { limit, offset, state } = { ...listDefaults, ...query }
          const rows = yield* withdrawals.inState(state, { limit, offset })
          const count = yield* Count.total({ limit, offset }, rows.length, withdrawals.countInState(state))
          return { data: rows.map(summary), count }
        }, Effect.catchTags(unavailable))
      )
      .handle(
        "one",
        Effect.fnUntraced(function* ({ params: { withdrawal_id } }) {
          const id = withdrawal_id.toLowerCase()
          const withdrawal = yield* locate(id)
          const recorded = yield* decisions.about(id)
          const steps = yield* withdrawals.steps(id)
          const attempts = yield* withdrawals.payments(id)
          return {
            ...summary(withdrawal),
            decisions: recorded.map(({ decidedAtMillis, decision, operator, reason }) => ({
              decision,
              operator,
              reason,
              at: instant(decidedAtMillis)
            })),
            steps: steps.map(({ actor, atMillis, fromState, toState }) => ({
              from: fromState,
              to: toState,
              by: actor,
              at: instant(atMillis)
            })),
            attempts: attempts.map(({ attempt, expiresAtMillis, purpose, reference, signedAtMillis }) => ({
              attempt,
              purpose,
              reference,
              signed_at: instant(signedAtMillis),
              expires_at: expiresAtMillis === null ? null : instant(expiresAtMillis)
            }))
          }
        }, Effect.catchTags(unavailable))
      )
      .handle("approve", ({ payload }) => decide("approve", payload).pipe(Effect.catchTags(unavailable)))
      .handle("reject", ({ payload }) => decide("reject", payload).pipe(Effect.catchTags(unavailable)))
      .handle("cancelPayment", ({ payload }) =>
        cancel(payload).pipe(Effect.map(summary), Effect.catchTags(unavailable))
      )
  })
)

/** Returns the largest withdrawal that a single operator is allowed to decide, in 1e-6 USD. */
export const makeTwoPeopleAbove = Effect.map(
  RunningSettings,
  (settings) => () => BigInt(settings.now().twoPeopleAbove) * BigInt(moneyScale)
)

/** Decides a held withdrawal. The decision, the change and the audit entry are committed together. */
const makeDecide = Effect.gen(function* () {
  const audit = yield* Audit
  const decisions = yield* WithdrawalDecisions
  const limit = yield* makeTwoPeopleAbove
  const transaction = yield* Transaction
  const withdrawals = yield* Withdrawals
  const deciders = yield* Deciders.make("treasurer")
  const locate = yield* makeLocate
  const refusals = yield* apiProblems
  return Effect.fnUntraced(
    function* (
      decision: "approve" | "reject",
      { reason, withdrawal_id }: { readonly withdrawal_id: string; readonly reason: string }
    ) {
      const withdrawalId = withdrawal_id.toLowerCase()
      const { name } = yield* Operator
      yield* locate(withdrawalId)
      yield* decisions.record({ withdrawalId, decision, operator: name, reason })
      // `record` has locked the row, so the decisions of other operators are already committed.
      const withdrawal = yield* locate(withdrawalId)
      const needed = peopleNeeded(withdrawal, limit())
      const mayDecide = yield* deciders
      if (needed > 1 && !mayDecide(name, withdrawal.createdAtMillis)) return yield* refusals.appointedSince(name)
      const people = (yield* decisions.about(withdrawalId))
        .filter((each) => each.decision === decision && mayDecide(each.operator, withdrawal.createdAtMillis))
        .map(({ operator }) => operator)
      const isDecided = people.length >= needed
      const by = people.join(", ")
      const command: ReviewCommand =
        decision === "approve"
          ? { _tag: "Approve", by }
          : { _tag: "RequestEnd", ending: "REJECTED", by, reason: { _tag: "Rejected", text: reason }, reference: null }
      yield* isDecided
        ? withdrawals.change(withdrawalId, command)
        : Effect.fromResult(WithdrawalSteps.decide(withdrawal, command, yield* Clock.currentTimeMillis))
      const { amount, destination, userId } = withdrawal
      const facts = { withdrawalId, amount: String(amount), destination, reason, isDecided }
      const action = decision === "approve" ? "withdrawal_approved" : "withdrawal_rejected"
      yield* audit.record({ action, actor: name, subject: userId, facts })
      return { withdrawal_id: withdrawalId, is_decided: isDecided, people, people_needed: needed }
    },
    Effect.catchTags({
      WithdrawalStepRefused: ({ state }) => Effect.fail(refusals.notHeld(state)),
      CancelPending: Effect.die,
      UnknownWithdrawal: Effect.die
    }),
    transaction.run
  )
})

type ReviewCommand = Extract<WithdrawalCommand, { readonly _tag: "Approve" | "RequestEnd" }>

/** Requests a cancellation, which the rail carries out. Request and audit entry are committed together. */
const makeCancel = Effect.gen(function* () {
  const audit = yield* Audit
  const transaction = yield* Transaction
  const withdrawals = yield* Withdrawals
  const locate = yield* makeLocate
  const refusals = yield* apiProblems
  return Effect.fnUntraced(
    function* (payload: { readonly withdrawal_id: string; readonly reason: string }) {
      const { reason } = payload
      const withdrawalId = payload.withdrawal_id.toLowerCase()
      const { name } = yield* Operator
      yield* locate(withdrawalId)
      yield* withdrawals.change(withdrawalId, { _tag: "RequestCancel", by: name, reason })
      const withdrawal = yield* locate(withdrawalId)
      const { amount, attempts, destination, rail, userId } = withdrawal
      // No new payment can be stored after the request, and a payout without a stored payment never reaches the bank.
      if (rail === "BANK" && attempts > 0) return yield* refusals.payoutMade()
      const facts = { withdrawalId, amount: String(amount), destination, reason }
      yield* audit.record({ action: "withdrawal_cancel_asked", actor: name, subject: userId, facts })
      return withdrawal
    },
    Effect.catchTags({
      WithdrawalStepRefused: ({ state }) => Effect.fail(refusals.notCancellable(state)),
      CancelPending: ({ by }) => Effect.fail(refusals.cancelRequested(by)),
      UnknownWithdrawal: Effect.die
    }),
    transaction.run
  )
})

/** Returns a withdrawal, or refuses with 404. */
const makeLocate = Effect.gen(function* () {
  const { find } = yield* Withdrawals
  const { notFound } = yield* apiProblems
  return (withdrawalId: string) =>
    Effect.flatMap(
      find(withdrawalId),
      Effect.fromOption(() => notFound("withdrawal", withdrawalId, "list the withdrawals with GET /withdrawals"))
    )
})

/** Returns the number of operators who must make the same decision. */
export const peopleNeeded = ({ amount }: Pick<Withdrawal, "amount">, limit: bigint): number => (amount > limit ? 2 : 1)
