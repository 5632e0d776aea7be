/** Withdrawals as an operator sees them, and what an operator decides about those that are held, or stuck (rule 18). */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { RailName, WithdrawalMethod } from "@venue/domain/Rail"
import { WithdrawalState } from "@venue/domain/Withdrawal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, SchemaLink, Uuid } from "../Body.ts"
import { instant } from "../Digits.ts"
import { described, Optional, WholeNumber } from "../Parameter.ts"
import { Conflict, NotFound, ServiceUnavailable } from "../Problem.ts"
import { ListCount } from "../rest/ListPage.ts"
import { NeededRole, OperatorOnly, Reason } from "./Operator.ts"

/** Who said what of it; above the limit two people have to say the same. */
const Decision = Schema.Struct({
  decision: Schema.Literals(["approve", "reject"]),
  operator: Schema.String,
  reason: Schema.String,
  at: Moment
})

const summary = {
  withdrawal_id: Schema.String,
  user_id: Schema.String,
  rail: RailName,
  method: WithdrawalMethod,
  amount: Schema.Finite,
  /** It is a part of the amount. */
  fee: Schema.Finite,
  /** An address, or the id of a bank account. */
  destination: Schema.String,
  state: WithdrawalState,
  /** Why it was held; none where it was not. */
  held_for: Schema.Array(Schema.String),
  /** It waits for as long as somebody holds something against it. */
  blocked: Schema.Boolean,
  /** It goes back, and this is why. */
  ending: Schema.NullOr(Schema.Struct({ state: Schema.String, by: Schema.String, reason: Schema.String })),
  /** The outside knows by it what was paid. */
  reference: Schema.NullOr(Schema.String),
  /** It waits, since then and for this. */
  not_signed: Schema.NullOr(Schema.Struct({ since: Moment, reason: Schema.String })),
  /** Who wants its payment cancelled. It may have come before, and then it is SETTLED. */
  cancel: Schema.NullOr(Schema.Struct({ by: Schema.String, reason: Schema.String })),
  people_needed: Schema.Int,
  created_at: Moment,
  updated_at: Moment
}

export const ReviewedWithdrawal = Schema.Struct(summary).annotate({ identifier: "ReviewedWithdrawal" })

export const WithdrawalList = Schema.Struct({ data: Schema.Array(ReviewedWithdrawal), count: ListCount }).annotate({
  identifier: "WithdrawalList"
})

const Step = Schema.Struct({ from: Schema.NullOr(WithdrawalState), to: WithdrawalState, by: Schema.String, at: Moment })

const Attempt = Schema.Struct({
  attempt: Schema.Int,
  purpose: Schema.Literals(["pay", "cancel"]),
  reference: Schema.String,
  signed_at: Moment,
  expires_at: Schema.NullOr(Moment)
})

export const WithdrawalTold = Schema.Struct({
  ...summary,
  decisions: Schema.Array(Decision),
  steps: Schema.Array(Step),
  attempts: Schema.Array(Attempt)
}).annotate({ identifier: "WithdrawalTold" })

export const WithdrawalNamed = Schema.Struct({ $schema: SchemaLink, withdrawal_id: Uuid, reason: Reason }).annotate({
  identifier: "WithdrawalNamed"
})

/** It is still held where somebody else has to say the same. */
export const Decided = Schema.Struct({
  withdrawal_id: Schema.String,
  is_decided: Schema.Boolean,
  people: Schema.Array(Schema.String),
  people_needed: Schema.Int
}).annotate({ identifier: "Decided" })

const deciding = {
  payload: WithdrawalNamed,
  success: Decided,
  error: [NotFound, Conflict, ServiceUnavailable]
} as const

const ListedState = Schema.Literals(WithdrawalState.literals.filter((state) => state !== "ACCEPTED"))
const limits = { minimum: 1, maximum: 1_000 }
const offsets = { minimum: 0, maximum: 100_000 }

/** Values of what a request leaves out. */
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
    description: "Most withdrawals to return."
  },
  offset: {
    type: "integer",
    ...offsets,
    default: listDefaults.offset,
    description: "Withdrawals to skip; the one unchanged for longest comes first."
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
    }).annotate(OpenApi.Transform, described(listParameters)),
    HttpApiEndpoint.get("one", "/withdrawals/:withdrawal_id", {
      params: { withdrawal_id: Schema.String },
      success: WithdrawalTold,
      error: [NotFound, ServiceUnavailable]
    }),
    HttpApiEndpoint.post("approve", "/withdrawals/approve", deciding).annotate(NeededRole, "treasurer"),
    HttpApiEndpoint.post("reject", "/withdrawals/reject", deciding).annotate(NeededRole, "treasurer"),
    // Of one that is SUBMITTED, or that is QUEUED and not signed for a reason. It is FAILED, and given back, once the rail says
    // that no payment of it can come any more.
    HttpApiEndpoint.post("cancelPayment", "/withdrawals/cancel-payment", {
      ...deciding,
      success: ReviewedWithdrawal
    }).annotate(NeededRole, "treasurer")
  )
  .middleware(OperatorOnly)

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
  readonly reason: string | null
  readonly reference: string | null
  readonly refusedAtMillis: number | null
  readonly refusal: string | null
  readonly cancelledBy: string | null
  readonly cancelReason: string | null
  readonly createdAtMillis: number
  readonly updatedAtMillis: number
}

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
      : { state: withdrawal.ending, by: withdrawal.endedBy ?? "", reason: withdrawal.reason ?? "" },
  reference: withdrawal.reference,
  not_signed:
    withdrawal.refusedAtMillis === null || withdrawal.refusal === null
      ? null
      : { since: instant(withdrawal.refusedAtMillis), reason: withdrawal.refusal },
  cancel:
    withdrawal.cancelledBy === null ? null : { by: withdrawal.cancelledBy, reason: withdrawal.cancelReason ?? "" },
  people_needed: peopleNeeded,
  created_at: instant(withdrawal.createdAtMillis),
  updated_at: instant(withdrawal.updatedAtMillis)
})
