/** Money leaves: what may be asked, what is recorded, why it is held or refused, and its states (rule 18). Money in 1e-6 USD. */
import { Schema } from "effect"
import { moneyScale } from "./Decimal.ts"
import { KeyedRequest } from "./KeyedRequest.ts"
import { WithdrawalMethod } from "./Rail.ts"

/**
 *     ACCEPTED → QUEUED ──────────────→ SUBMITTED → SETTLED
 *         ↓        ↑                        ↓
 *     HELD_FOR_REVIEW → REJECTED          FAILED
 *
 * ACCEPTED has debited the account; REJECTED and FAILED have given the gross amount back.
 */
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

/** There are no others; none is taken twice. */
export const withdrawalEdges: ReadonlyArray<readonly [from: WithdrawalState, to: WithdrawalState]> = [
  ["ACCEPTED", "QUEUED"],
  ["ACCEPTED", "HELD_FOR_REVIEW"],
  ["HELD_FOR_REVIEW", "QUEUED"],
  ["HELD_FOR_REVIEW", "REJECTED"],
  ["QUEUED", "SUBMITTED"],
  ["SUBMITTED", "SETTLED"],
  ["SUBMITTED", "FAILED"]
]

/** The numbers of a rail's withdrawals, as the venue has given them away. */
export interface UsedSequences {
  /** The one after all of them; 0 where there is none. */
  readonly next: number
  /** The lowest of those that are SUBMITTED and whose end nobody has heard of; the next one where there is none. */
  readonly open: number
}

export interface WithdrawalTerms {
  readonly minimum: bigint
  /** It is taken out of the amount. */
  readonly fee: bigint
}

const usd = (whole: number): bigint => BigInt(whole * moneyScale)

export const withdrawalTerms: { readonly [Method in WithdrawalMethod]: WithdrawalTerms } = {
  ARBITRUM_ONE: { minimum: usd(5), fee: usd(1) },
  TRON: { minimum: usd(10), fee: usd(3) },
  ach_push: { minimum: usd(10), fee: usd(1) },
  wire: { minimum: usd(10), fee: usd(25) }
}

/** Why an operator has to look at a withdrawal before it leaves. */
export const HoldReason = Schema.Literals([
  "amount",
  "day-total",
  "new-destination",
  "flagged-user",
  "flagged-destination",
  "unverified-holder"
])
export type HoldReason = typeof HoldReason.Type

/** More than this in one withdrawal, or in those of a user within a day, is held. */
export const largestUnheld = usd(50_000)
export const largestDayUnheld = usd(100_000)
export const withdrawalDayMillis = 24 * 60 * 60 * 1000

/** `dayTotal` has those of the last 24 hours, and this one. What was known of user and destination comes last. */
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

/** Where it goes from ACCEPTED, at once. */
export const stateOfAccepted = ({ reasons }: Pick<WithdrawalAccepted, "reasons">): "QUEUED" | "HELD_FOR_REVIEW" =>
  reasons.length === 0 ? "QUEUED" : "HELD_FOR_REVIEW"

/** The user's primary account pays it. A repeat of `withdrawalId` changes nothing. */
export const Withdraw = Schema.TaggedStruct("Withdraw", {
  withdrawalId: Schema.String,
  method: WithdrawalMethod,
  /** The fee is a part of it. */
  amount: Schema.BigInt,
  /** An address of the network as it is written to users, or the id of a linked bank account. */
  destination: Schema.String,
  /** Known where it was asked: what amounts say is decided with the rest. */
  reasons: Schema.Array(HoldReason),
  request: Schema.optionalKey(KeyedRequest)
})
export type Withdraw = typeof Withdraw.Type

const ending = {
  withdrawalId: Schema.String,
  ending: Schema.Literals(["REJECTED", "FAILED"]),
  reason: Schema.String
}

/** It was rejected, or no payment of it can come any more: all of it goes back. A repeat changes nothing. */
export const ReturnWithdrawal = Schema.TaggedStruct("ReturnWithdrawal", ending)
export type ReturnWithdrawal = typeof ReturnWithdrawal.Type

/** This is the debit. The withdrawal's row is written from it, in the same commit. */
export const WithdrawalAccepted = Schema.TaggedStruct("WithdrawalAccepted", {
  withdrawalId: Schema.String,
  method: WithdrawalMethod,
  amount: Schema.BigInt,
  fee: Schema.BigInt,
  destination: Schema.String,
  /** It is held where there are any. */
  reasons: Schema.Array(HoldReason),
  atMillis: Schema.Number
})
export type WithdrawalAccepted = typeof WithdrawalAccepted.Type

/** The gross amount is the account's again. */
export const WithdrawalReturned = Schema.TaggedStruct("WithdrawalReturned", {
  ...ending,
  method: WithdrawalMethod,
  amount: Schema.BigInt,
  atMillis: Schema.Number
})
export type WithdrawalReturned = typeof WithdrawalReturned.Type

export class BelowMinimum extends Schema.TaggedError<BelowMinimum>()("BelowMinimum", {
  amount: Schema.BigInt,
  minimum: Schema.BigInt
}) {}

/** Nothing would arrive. */
export class NotAboveFee extends Schema.TaggedError<NotAboveFee>()("NotAboveFee", {
  amount: Schema.BigInt,
  fee: Schema.BigInt
}) {}

/** This user has no such withdrawal. */
export class UnknownWithdrawal extends Schema.TaggedError<UnknownWithdrawal>()("UnknownWithdrawal", {
  withdrawalId: Schema.String
}) {}

/** What the terms of the method say against so much; whether the account has it is another question. */
export const amountRefusal = (method: WithdrawalMethod, amount: bigint): BelowMinimum | NotAboveFee | undefined => {
  const { fee, minimum } = withdrawalTerms[method]
  if (amount < minimum) return new BelowMinimum({ amount, minimum })
  return amount <= fee ? new NotAboveFee({ amount, fee }) : undefined
}
