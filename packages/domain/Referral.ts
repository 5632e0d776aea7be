/** Referrals and their rewards (rule 13). Money in 1e-6 USD. */
import { Schema } from "effect"
import { moneyScale } from "./Decimal.ts"
import { KeyedRequest } from "./KeyedRequest.ts"
import { UserId } from "./UserId.ts"

/** Links the user to the referrer whose invitation code they redeem. */
export const RedeemCode = Schema.TaggedStruct("RedeemCode", {
  code: Schema.String,
  referrerId: UserId,
  request: Schema.optionalKey(KeyedRequest)
})
export type RedeemCode = typeof RedeemCode.Type

/** Credits a day's referral rewards to the referrer. Has no effect if that day or a later day is already credited. */
export const CreditReferrals = Schema.TaggedStruct("CreditReferrals", { day: Schema.Number, amount: Schema.BigInt })
export type CreditReferrals = typeof CreditReferrals.Type

/** The user was linked to a referrer, permanently. */
export const Referred = Schema.TaggedStruct("Referred", {
  code: Schema.String,
  referrerId: UserId,
  atMillis: Schema.Number
})
export type Referred = typeof Referred.Type

/** The rewards of a day were credited to the primary account, available at once. */
export const ReferralsCredited = Schema.TaggedStruct("ReferralsCredited", {
  day: Schema.Number,
  amount: Schema.BigInt,
  atMillis: Schema.Number
})
export type ReferralsCredited = typeof ReferralsCredited.Type

/** The user already has a referrer. */
export class AlreadyReferred extends Schema.TaggedError<AlreadyReferred>()("AlreadyReferred", { referrerId: UserId }) {}

/** The user has traded already; a code must be redeemed before the first trade (rule 13.1). */
export class HasTraded extends Schema.TaggedError<HasTraded>()("HasTraded", { userId: UserId }) {}

/** Total volume at which a user receives invitation codes, one time only (rule 13.1). */
export const qualifyingVolume = 100_000n * BigInt(moneyScale)
/** Number of invitation codes of a user (rule 13.1). */
export const codesOfUser = 5

/** Number of days, including today, in a user's recent volume. */
export const recentDays = 14

/** Maximum volume of a referred user that earns rewards (rule 13.3). */
const referredVolume = 1_000_000_000n * BigInt(moneyScale)

/** One day of a referred user: the traded volume, and the fees without builder shares (`base`). */
export interface ReferredDay {
  readonly volume: bigint
  readonly base: bigint
}

/**
 * Returns the reward of a day: a tenth of the base, rounded down. On the day on which the user's volume passes the
 * limit, the base counts only in proportion to the volume below the limit (rule 13.3).
 */
export const rewardOf = ({ base, volume }: ReferredDay, volumeBefore: bigint): bigint => {
  const left = referredVolume - volumeBefore
  if (left <= 0n) return 0n
  return volume <= left ? base / 10n : (base * left) / (volume * 10n)
}
