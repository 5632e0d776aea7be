/** Answers an operator who looks at withdrawals, approves or rejects those that are held, and cancels those that are stuck or refused. */
import { AdminApi } from "@venue/api/admin/Api"
import { listDefaults, reviewedWithdrawal } from "@venue/api/admin/Withdrawals"
import { instant } from "@venue/api/Digits"
import { problems } from "@venue/api/Problem"
import { Operator } from "@venue/api/admin/Operator"
import { OperatorTokens } from "@venue/auth/access/OperatorTokens"
import { moneyScale } from "@venue/domain/Decimal"
import { firstOperator, mayAct } from "@venue/domain/Operator"
import * as Count from "@venue/postgres/Count"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import { WithdrawalDecisions } from "@venue/storage/treasury/WithdrawalDecisions"
import { type Withdrawal, Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { Context, Effect, Option } from "effect"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

/** Two people have to say the same of a withdrawal of more than this, in 1e-6 USD. */
export const TwoPeopleAbove = Context.Reference<bigint>("@venue/gateway/admin/TwoPeopleAbove", {
  defaultValue: () => 250_000n * BigInt(moneyScale)
})

export const layer = group(
  AdminApi,
  "withdrawals",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const decisions = yield* WithdrawalDecisions
    const decide = yield* makeDecide
    const cancel = yield* makeCancel
    const limit = yield* TwoPeopleAbove
    const withdrawals = yield* Withdrawals
    const refusals = problems(baseUrl)
    const unavailable = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }
    const summary = (withdrawal: Withdrawal) => reviewedWithdrawal(withdrawal, peopleNeeded(withdrawal, limit))

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query }) {
          const { limit, offset, state } = { ...listDefaults, ...query }
          const found = yield* withdrawals.inState(state, { limit, offset })
          const count = yield* Count.total({ limit, offset }, found.length, withdrawals.countInState(state))
          return { data: found.map(summary), count }
        }, Effect.catchTags(unavailable))
      )
      .handle(
        "one",
        Effect.fnUntraced(function* ({ params: { withdrawal_id } }) {
          const id = withdrawal_id.toLowerCase()
          const found = yield* withdrawals.find(id)
          if (Option.isNone(found)) return yield* refusals.notFound("withdrawal", id, "list them with GET /withdrawals")
          const said = yield* decisions.about(id)
          const steps = yield* withdrawals.steps(id)
          const attempts = yield* withdrawals.payments(id)
          return {
            ...summary(found.value),
            decisions: said.map(({ decidedAtMillis, decision, operator, reason }) => ({
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

/** The word of each, what comes of it, and the audit are one commit. */
const makeDecide = Effect.gen(function* () {
  const baseUrl = yield* ApiBaseUrl
  const audit = yield* Audit
  const decisions = yield* WithdrawalDecisions
  const limit = yield* TwoPeopleAbove
  const transaction = yield* Transaction
  const withdrawals = yield* Withdrawals
  const deciders = yield* makeDeciders
  const refusals = problems(baseUrl)
  return Effect.fnUntraced(function* (
    decision: "approve" | "reject",
    { reason, withdrawal_id }: { readonly withdrawal_id: string; readonly reason: string }
  ) {
    const withdrawalId = withdrawal_id.toLowerCase()
    const { name } = yield* Operator
    if (Option.isNone(yield* withdrawals.find(withdrawalId)))
      return yield* refusals.notFound("withdrawal", withdrawalId, "list them with GET /withdrawals")
    yield* decisions.record({ withdrawalId, decision, operator: name, reason })
    // Whoever decided about it until now has done so.
    const found = Option.getOrThrow(yield* withdrawals.find(withdrawalId))
    const needed = peopleNeeded(found, limit)
    const mayDecide = yield* deciders
    if (needed > 1 && !mayDecide(name, found)) return yield* refusals.appointedSince(name)
    const people = (yield* decisions.about(withdrawalId))
      .filter((one) => one.decision === decision && mayDecide(one.operator, found))
      .map(({ operator }) => operator)
    const isDecided = people.length >= needed
    const isHeld = isDecided
      ? yield* decision === "approve"
          ? withdrawals.approve(withdrawalId, people.join(", "))
          : withdrawals.end(withdrawalId, { ending: "REJECTED", by: people.join(", "), reason })
      : found.state === "HELD_FOR_REVIEW" && found.ending === null
    if (!isHeld) return yield* refusals.notHeld(found.ending ?? found.state)
    const { amount, destination, userId } = found
    const facts = { withdrawalId, amount: String(amount), destination, reason, isDecided }
    const action = decision === "approve" ? "withdrawal_approved" : "withdrawal_rejected"
    yield* audit.record({ action, actor: name, subject: userId, facts })
    return { withdrawal_id: withdrawalId, is_decided: isDecided, people, people_needed: needed }
  }, transaction.run)
})

/**
 * Who may be one of the two: a treasurer still, and before the withdrawal was asked for. Else one person who appoints people
 * would be two of them.
 */
const makeDeciders = Effect.map(OperatorTokens, ({ list }) =>
  Effect.map(list, (all) => {
    const treasurers = new Map(
      all
        .filter(({ removedAtMillis, roles }) => removedAtMillis === null && mayAct(roles, "treasurer"))
        .map(({ createdAtMillis, name }) => [name, createdAtMillis])
    )
    return (name: string, { createdAtMillis }: Pick<Withdrawal, "createdAtMillis">): boolean =>
      name === firstOperator || (treasurers.get(name) ?? Infinity) <= createdAtMillis
  })
)

/** The wish and the audit are one commit; the rail does the rest. */
const makeCancel = Effect.gen(function* () {
  const baseUrl = yield* ApiBaseUrl
  const audit = yield* Audit
  const transaction = yield* Transaction
  const withdrawals = yield* Withdrawals
  const refusals = problems(baseUrl)
  return Effect.fnUntraced(function* (payload: { readonly withdrawal_id: string; readonly reason: string }) {
    const { reason } = payload
    const withdrawalId = payload.withdrawal_id.toLowerCase()
    const { name } = yield* Operator
    if (Option.isNone(yield* withdrawals.find(withdrawalId)))
      return yield* refusals.notFound("withdrawal", withdrawalId, "list them with GET /withdrawals")
    const isAsked = yield* withdrawals.cancel(withdrawalId, { by: name, reason })
    const found = Option.getOrThrow(yield* withdrawals.find(withdrawalId))
    const { amount, cancelledBy, destination, ending, rail, state, userId } = found
    const isOpen = (state === "QUEUED" || state === "SUBMITTED") && ending === null
    if (!isAsked && isOpen && cancelledBy !== null) return yield* refusals.cancelAsked(cancelledBy)
    if (!isAsked) return yield* refusals.notCancellable(ending ?? state)
    // From here on nothing is stored that pays it, so that what a bank was not given yet it never is.
    if (rail === "BANK" && (yield* withdrawals.payments(withdrawalId)).length > 0) return yield* refusals.payoutMade()
    const facts = { withdrawalId, amount: String(amount), destination, reason }
    yield* audit.record({ action: "withdrawal_cancel_asked", actor: name, subject: userId, facts })
    return found
  }, transaction.run)
})

const peopleNeeded = ({ amount }: Pick<Withdrawal, "amount">, limit: bigint): number => (amount > limit ? 2 : 1)
