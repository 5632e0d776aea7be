/** Withdrawals: terms, review reasons, a trader's commands and events, and refusals (rule 18). Money in 1e-6 USD. */
import { Schema } from "effect"
import { moneyScale } from "./Decimal.ts"
import { KeyedRequest } from "./KeyedRequest.ts"
import { WithdrawalMethod } from "./Rail.ts"
import { EndReason } from "./TreasuryReason.ts"

/** State of a withdrawal. The account is debited in ACCEPTED; the money is returned in REJECTED and FAILED. */
export const WithdrawalState = Schema.Literals([
  "ACCEPTED",
  "QUEUED",
  "HELD_FOR_REVIEW",
  "SUBMITTED",
  "SETTLED",
  "REJECTED",
  "FAILED"
])
export type WithdrawalState = typeof WithdrawalState.Type

/** Final state of a withdrawal whose gross amount is returned. */
export const Ending = Schema.Literals(["REJECTED", "FAILED"])
export type Ending = typeof Ending.Type

/** Numbers that the venue has assigned to a rail's withdrawals. */
export interface UsedSequences {
  /** Next number to assign: the highest assigned number plus 1; 0 before the first withdrawal. */
  readonly next: number
  /** Lowest number of an in-flight withdrawal; `next` while none is in flight. */
  readonly open: number
}

/** Terms of a withdrawal method, in 1e-6 USD. */
export interface WithdrawalTerms {
  readonly minimum: bigint
  /** Part of the amount. The destination receives the amount minus the fee. */
  readonly fee: bigint
}

const usd = (whole: number): bigint => BigInt(whole * moneyScale)

/** Terms of each withdrawal method (rule 18). */
export const withdrawalTerms: { readonly [Method in WithdrawalMethod]: WithdrawalTerms } = {
  ARBITRUM_ONE: { minimum: usd(5), fee: usd(1) },
  TRON: { minimum: usd(10), fee: usd(3) },
  ach_push: { minimum: usd(10), fee: usd(1) },
  wire: { minimum: usd(10), fee: usd(25) }
}

/** Reason for which a withdrawal is held until an operator has reviewed it. */
export const HoldReason = Schema.Literals([
  "amount",
  "day-total",
  "new-destination",
  "flagged-user",
  "flagged-destination",
  "unverified-holder"
])
export type HoldReason = typeof HoldReason.Type

/** Largest withdrawal that is not held for its amount, in 1e-6 USD. */
export const largestUnheld = usd(50_000)
/** Largest total of a user's withdrawals in `withdrawalDayMillis` that holds none of them, in 1e-6 USD. */
export const largestDayUnheld = usd(100_000)
/** Length of the sliding window of `largestDayUnheld`, in milliseconds. */
export const withdrawalDayMillis = 24 * 60 * 60 * 1000

/**
 * Returns the reasons for a hold. `dayTotal` includes this withdrawal; `known` are the reasons about the user or
 * destination.
 */
export const holdReasons = (
  amount: bigint,
  dayTotal: bigint,
  known: ReadonlyArray<HoldReason>
): ReadonlyArray<HoldReason> => {
  const reasons = new Set<HoldReason>()
  if (amount > largestUnheld) reasons.add("amount")
  if (dayTotal > largestDayUnheld) reasons.add("day-total")
  for (const reason of known) reasons.add(reason)
  return [...reasons]
}

/** Debits the user's primary account. Idempotent by `withdrawalId`. */
export const Withdraw = Schema.TaggedStruct("Withdraw", {
  withdrawalId: Schema.String,
  method: WithdrawalMethod,
  /** Gross amount: the fee is a part of it. */
  amount: Schema.BigInt,
  /** Address in the form shown to users, or the id of a linked bank account. */
  destination: Schema.String,
  /** Reasons that concern user or destination; the trader's ledger adds reasons that concern amounts. */
  reasons: Schema.Array(HoldReason),
  request: Schema.optionalKey(KeyedRequest)
})
export type Withdraw = typeof Withdraw.Type

const returning = {
  withdrawalId: Schema.String,
  ending: Ending,
  reason: EndReason
}

/** Returns the gross amount of a withdrawal that was rejected or has failed. Idempotent by `withdrawalId`. */
export const ReturnWithdrawal = Schema.TaggedStruct("ReturnWithdrawal", returning)
export type ReturnWithdrawal = typeof ReturnWithdrawal.Type

/** The account was debited. The withdrawal's row is written from this event in the same commit. */
export const WithdrawalAccepted = Schema.TaggedStruct("WithdrawalAccepted", {
  withdrawalId: Schema.String,
  method: WithdrawalMethod,
  amount: Schema.BigInt,
  fee: Schema.BigInt,
  destination: Schema.String,
  /** Reasons for a review; without one the withdrawal is queued. */
  reasons: Schema.Array(HoldReason),
  atMillis: Schema.Number
})
export type WithdrawalAccepted = typeof WithdrawalAccepted.Type

/** The gross amount was returned to the account. */
export const WithdrawalReturned = Schema.TaggedStruct("WithdrawalReturned", {
  ...returning,
  method: WithdrawalMethod,
  amount: Schema.BigInt,
  atMillis: Schema.Number
})
export type WithdrawalReturned = typeof WithdrawalReturned.Type

/** The amount is below the minimum of the method. Both are in 1e-6 USD. */
export class BelowMinimum extends Schema.TaggedError<BelowMinimum>()("BelowMinimum", {
  amount: Schema.BigInt,
  minimum: Schema.BigInt
}) {}

/** The fee takes the whole amount. Both are in 1e-6 USD. */
export class NotAboveFee extends Schema.TaggedError<NotAboveFee>()("NotAboveFee", {
  amount: Schema.BigInt,
  fee: Schema.BigInt
}) {}

/** No withdrawal with this id exists for the user. */
export class UnknownWithdrawal extends Schema.TaggedError<UnknownWithdrawal>()("UnknownWithdrawal", {
  withdrawalId: Schema.String
}) {}

/** Returns the error if the amount violates the terms of its method, or undefined. The balance is checked elsewhere. */
export const amountRefusal = (method: WithdrawalMethod, amount: bigint): BelowMinimum | NotAboveFee | undefined => {
  const { fee, minimum } = withdrawalTerms[method]
  if (amount < minimum) return new BelowMinimum({ amount, minimum })
  return amount <= fee ? new NotAboveFee({ amount, fee }) : undefined
}
