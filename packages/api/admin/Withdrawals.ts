/** Withdrawals for operators, and decisions about held or stuck withdrawals (rule 18). */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { RailName, WithdrawalMethod } from "@venue/domain/Rail"
import type { EndReason, PaymentObstacle } from "@venue/domain/TreasuryReason"
import { WithdrawalState } from "@venue/domain/Withdrawal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, SchemaLink, Uuid } from "../Body.ts"
import { instant } from "../Digits.ts"
import * as ReasonText from "../treasury/ReasonText.ts"
import { described, Optional, WholeNumber } from "../Parameter.ts"
import { Conflict, NotFound, ServiceUnavailable } from "../Problem.ts"
import { ListCount } from "../rest/ListPage.ts"
import { NeededRole, OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** One operator's decision. A large withdrawal needs the same decision from two operators. */
const Decision = Schema.Struct({
  decision: Schema.Literals(["approve", "reject"]).annotate({ description: "Decision of the operator." }),
  operator: Schema.String.annotate({ description: "Name of the operator." }),
  reason: Schema.String.annotate({ description: "Reason given by the operator." }),
  at: Moment.annotate({ description: "Time of the decision, ISO 8601 in UTC." })
})

const summary = {
  withdrawal_id: Schema.String.annotate({ description: "Id of the withdrawal." }),
  user_id: Schema.String.annotate({ description: "User id." }),
  rail: RailName.annotate({ description: "Rail of the withdrawal." }),
  method: WithdrawalMethod.annotate({ description: "Blockchain network or bank payment rail of the withdrawal." }),
  amount: Schema.Finite.annotate({ description: "Amount debited from the account, including the fee, in USD." }),
  fee: Schema.Finite.annotate({ description: "Fee included in `amount`, in USD." }),
  destination: Schema.String.annotate({ description: "Destination address, or id of the destination bank account." }),
  state: WithdrawalState.annotate({ description: "State of the withdrawal." }),
  held_for: Schema.Array(Schema.String).annotate({
    description: "Reasons for the review; empty if no review was needed."
  }),
  blocked: Schema.Boolean.annotate({
    description:
      "Whether submission is blocked because the user or the destination is frozen, or because a deposit credited to the user has disappeared from its chain."
  }),
  ending: Schema.NullOr(
    Schema.Struct({
      state: Schema.String.annotate({ description: "Final state of the withdrawal." }),
      by: Schema.String.annotate({
        description: "Operator or component of the venue that ended the withdrawal."
      }),
      reason: Schema.String.annotate({ description: "Reason for ending the withdrawal." })
    })
  ).annotate({
    description:
      "Final state other than SETTLED that the withdrawal has or will have; the amount returns to the account. Null for all other withdrawals."
  }),
  reference: Schema.NullOr(Schema.String).annotate({
    description: "Transaction hash or bank reference of the payment; null before the payment."
  }),
  not_signed: Schema.NullOr(
    Schema.Struct({
      since: Moment.annotate({
        description: "Time of the first refusal to sign since the last signature, ISO 8601 in UTC."
      }),
      reason: Schema.String.annotate({ description: "Explanation of what blocks the payment." })
    })
  ).annotate({
    description:
      "Reason why the payment cannot be signed, or why a signed payment cannot arrive; null if nothing blocks the payment."
  }),
  cancel: Schema.NullOr(
    Schema.Struct({
      by: Schema.String.annotate({ description: "Name of the operator who requested the cancellation." }),
      reason: Schema.String.annotate({ description: "Reason given by the operator." })
    })
  ).annotate({
    description:
      "Request to cancel the payment; null if there is no such request. The withdrawal settles if the payment arrives before the cancellation takes effect."
  }),
  people_needed: Schema.Int.annotate({ description: "Number of operators who must make the same decision: 1 or 2." }),
  created_at: Moment.annotate({ description: "Time at which the withdrawal was accepted, ISO 8601 in UTC." }),
  updated_at: Moment.annotate({ description: "Time of the last change of state, ISO 8601 in UTC." })
}

/** Withdrawal as operators see it. */
export const ReviewedWithdrawal = Schema.Struct(summary).annotate({
  identifier: "ReviewedWithdrawal",
  description: "Withdrawal with details that only operators see."
})

/** Response body of `GET /withdrawals`. */
export const WithdrawalList = Schema.Struct({
  data: Schema.Array(ReviewedWithdrawal).annotate({
    description:
      "Withdrawals in the requested state. The withdrawal that has been in this state for the longest time is first."
  }),
  count: ListCount
}).annotate({
  identifier: "WithdrawalList"
})

const Step = Schema.Struct({
  from: Schema.NullOr(WithdrawalState).annotate({ description: "State before the change; null for the first change." }),
  to: WithdrawalState.annotate({ description: "State after the change." }),
  by: Schema.String.annotate({ description: "Operator or component of the venue that changed the state." }),
  at: Moment.annotate({ description: "Time of the change, ISO 8601 in UTC." })
})

const Attempt = Schema.Struct({
  attempt: Schema.Int.annotate({ description: "Sequence number of the attempt." }),
  purpose: Schema.Literals(["pay", "cancel"]).annotate({
    description: "Purpose of the signed transaction: `pay` the withdrawal, or `cancel` an earlier payment."
  }),
  reference: Schema.String.annotate({ description: "Transaction hash or bank reference of the attempt." }),
  signed_at: Moment.annotate({ description: "Time of signing, ISO 8601 in UTC." }),
  expires_at: Schema.NullOr(Moment).annotate({
    description: "Time after which the attempt cannot be paid, ISO 8601 in UTC; null if the attempt does not expire."
  })
})

/** Withdrawal with its decisions, steps and payment attempts. */
export const WithdrawalDetail = Schema.Struct({
  ...summary,
  decisions: Schema.Array(Decision).annotate({ description: "Decisions of operators, oldest first." }),
  steps: Schema.Array(Step).annotate({ description: "Changes of state, oldest first." }),
  attempts: Schema.Array(Attempt).annotate({ description: "Signed payments, oldest first." })
}).annotate({ identifier: "WithdrawalDetail" })

/** Body of a decision about a withdrawal. */
export const WithdrawalNamed = Schema.Struct({
  $schema: SchemaLink,
  withdrawal_id: Uuid.annotate({
    description: "Id of the withdrawal.",
    examples: ["4e0b9a53-58f4-4b9f-8f5e-0b9f7c1f6b6a"]
  }),
  reason: Reason
}).annotate({
  identifier: "WithdrawalNamed"
})

/** Result of a decision. The withdrawal stays held until another operator has made the same decision. */
export const Decided = Schema.Struct({
  withdrawal_id: Schema.String.annotate({ description: "Id of the withdrawal." }),
  is_decided: Schema.Boolean.annotate({
    description: "Whether the decision takes effect; false until enough operators have made the same decision."
  }),
  people: Schema.Array(Schema.String).annotate({ description: "Names of the operators who made this decision." }),
  people_needed: Schema.Int.annotate({ description: "Number of operators who must make the same decision: 1 or 2." })
}).annotate({ identifier: "Decided" })

const deciding = {
  payload: WithdrawalNamed,
  success: Decided,
  error: [NotFound, Conflict, ServiceUnavailable]
} as const

const ListedState = Schema.Literals(WithdrawalState.literals.filter((state) => state !== "ACCEPTED"))
const limits = { minimum: 1, maximum: 1_000 }
const offsets = { minimum: 0, maximum: 100_000 }

/** Defaults of the list's parameters. */
export const listDefaults = { state: "HELD_FOR_REVIEW", limit: 100, offset: 0 } as const

const listParameters = {
  state: {
    type: "string",
    enum: ListedState.literals,
    default: listDefaults.state,
    description: "State of the withdrawals to list."
  },
  limit: {
    type: "integer",
    ...limits,
    default: listDefaults.limit,
    description: "Maximum number of withdrawals to return."
  },
  offset: {
    type: "integer",
    ...offsets,
    default: listDefaults.offset,
    description: "Number of withdrawals to skip."
  }
}

export const WithdrawalsGroup = HttpApiGroup.make("withdrawals")
  .add(
    HttpApiEndpoint.get("list", "/withdrawals", {
      query: {
        state: Optional(ListedState),
        limit: Optional(WholeNumber(limits)),
        offset: Optional(WholeNumber(offsets))
      },
      success: WithdrawalList,
      error: ServiceUnavailable
    })
      .annotateMerge(operation("List withdrawals", "Returns the withdrawals in one state, by default HELD_FOR_REVIEW."))
      .annotate(OpenApi.Transform, described(listParameters)),
    HttpApiEndpoint.get("one", "/withdrawals/:withdrawal_id", {
      params: {
        withdrawal_id: Schema.String.annotate({
          description: "Id of the withdrawal.",
          examples: ["4e0b9a53-58f4-4b9f-8f5e-0b9f7c1f6b6a"]
        })
      },
      success: WithdrawalDetail,
      error: [NotFound, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Get a withdrawal",
        "Returns a withdrawal with its decisions, changes of state and signed payments. Refused with 404 for " +
          "an unknown withdrawal."
      )
    ),
    HttpApiEndpoint.post("approve", "/withdrawals/approve", deciding)
      .annotateMerge(
        operation(
          "Approve a withdrawal",
          "Releases a held withdrawal once enough operators approve. Requires the role `treasurer`. Refused with 404 " +
            "for an unknown withdrawal. Refused with 409 if the withdrawal is not held, or if it needs two operators " +
            "and the caller was appointed after the withdrawal was requested."
        )
      )
      .annotate(NeededRole, "treasurer"),
    HttpApiEndpoint.post("reject", "/withdrawals/reject", deciding)
      .annotateMerge(
        operation(
          "Reject a withdrawal",
          "Returns the amount of a held withdrawal to the account once enough operators reject. Requires the role " +
            "`treasurer`. Refused with 404 for an unknown withdrawal. Refused with 409 if the withdrawal is not held, or " +
            "if it needs two operators and the caller was appointed after the withdrawal was requested."
        )
      )
      .annotate(NeededRole, "treasurer"),
    // When the rail reports that no payment can arrive, the withdrawal becomes FAILED and its amount is returned.
    HttpApiEndpoint.post("cancelPayment", "/withdrawals/cancel-payment", {
      ...deciding,
      success: ReviewedWithdrawal
    })
      .annotateMerge(
        operation(
          "Cancel a payment",
          "Cancels the payment of a SUBMITTED withdrawal, or of a QUEUED withdrawal that is blocked or cannot be signed. The " +
            "withdrawal fails, and its amount returns to the account, once no signed payment can still arrive. " +
            "Requires the role `treasurer`. Refused with 404 for an unknown withdrawal, and with 409 if the payment cannot " +
            "be cancelled."
        )
      )
      .annotate(NeededRole, "treasurer")
  )
  .middleware(OperatorOnly)

/** Withdrawal as the venue stores it; amounts in 1e-6 USD. */
export interface Reviewed {
  readonly withdrawalId: string
  readonly userId: string
  readonly rail: RailName
  readonly method: WithdrawalMethod
  readonly amount: bigint
  readonly fee: bigint
  readonly destination: string
  readonly state: WithdrawalState
  readonly reasons: ReadonlyArray<string>
  readonly isBlocked: boolean
  readonly ending: string | null
  readonly endedBy: string | null
  readonly reason: EndReason | null
  readonly reference: string | null
  readonly refusedAtMillis: number | null
  readonly refusal: PaymentObstacle | null
  readonly cancelledBy: string | null
  readonly cancelReason: string | null
  readonly createdAtMillis: number
  readonly updatedAtMillis: number
}

/** Converts a withdrawal to its wire format for operators. */
export const reviewedWithdrawal = (withdrawal: Reviewed, peopleNeeded: number): typeof ReviewedWithdrawal.Type => ({
  withdrawal_id: withdrawal.withdrawalId,
  user_id: withdrawal.userId,
  rail: withdrawal.rail,
  method: withdrawal.method,
  amount: decimalOfMoney(withdrawal.amount),
  fee: decimalOfMoney(withdrawal.fee),
  destination: withdrawal.destination,
  state: withdrawal.state,
  held_for: withdrawal.reasons,
  blocked: withdrawal.isBlocked,
  ending:
    withdrawal.ending === null
      ? null
      : {
          state: withdrawal.ending,
          by: withdrawal.endedBy ?? "",
          reason: withdrawal.reason === null ? "" : ReasonText.end(withdrawal.reason)
        },
  reference: withdrawal.reference,
  not_signed:
    withdrawal.refusedAtMillis === null || withdrawal.refusal === null
      ? null
      : { since: instant(withdrawal.refusedAtMillis), reason: ReasonText.obstacle(withdrawal.refusal) },
  cancel:
    withdrawal.cancelledBy === null ? null : { by: withdrawal.cancelledBy, reason: withdrawal.cancelReason ?? "" },
  people_needed: peopleNeeded,
  created_at: instant(withdrawal.createdAtMillis),
  updated_at: instant(withdrawal.updatedAtMillis)
})
