/** Who brought a user to the venue, and what that earns (rule 13). Money in 1e-6 USD. */
import { Schema } from "effect"
import { moneyScale } from "./Decimal.ts"
import { KeyedRequest } from "./KeyedRequest.ts"
import { UserId } from "./UserId.ts"

/** The user came with this code of `referrerId`. */
export const RedeemCode = Schema.TaggedStruct("RedeemCode", {
  code: Schema.String,
  referrerId: UserId,
  request: Schema.optionalKey(KeyedRequest)
})
export type RedeemCode = typeof RedeemCode.Type

/** What the users whom this one brought have earned it on that day; nothing when that day, or a later one, is credited. */
export const CreditReferrals = Schema.TaggedStruct("CreditReferrals", { day: Schema.Number, amount: Schema.BigInt })
export type CreditReferrals = typeof CreditReferrals.Type

/** It is so for good. */
export const Referred = Schema.TaggedStruct("Referred", {
  code: Schema.String,
  referrerId: UserId,
  atMillis: Schema.Number
})
export type Referred = typeof Referred.Type

/** The amount is the primary account's from then on. */
export const ReferralsCredited = Schema.TaggedStruct("ReferralsCredited", {
  day: Schema.Number,
  amount: Schema.BigInt,
  atMillis: Schema.Number
})
export type ReferralsCredited = typeof ReferralsCredited.Type

export class AlreadyReferred extends Schema.TaggedError<AlreadyReferred>()("AlreadyReferred", { referrerId: UserId }) {}

/** Who has traded came without a code. */
export class HasTraded extends Schema.TaggedError<HasTraded>()("HasTraded", { userId: UserId }) {}

/** A user who has traded so much is given codes, once. */
export const qualifyingVolume = 100_000n * BigInt(moneyScale)
export const codesOfUser = 5

/** What a user traded of late is of so many days, today among them. */
export const recentDays = 14

const referredVolume = 1_000_000_000n * BigInt(moneyScale)

/** What a referred user traded on one day, and paid in fees that nobody else has a share of. */
export interface ReferredDay {
  readonly volume: bigint
  readonly base: bigint
}

/** A tenth, rounded down; of the day on which the user passes the volume that counts, of that part of it. */
export const rewardOf = ({ base, volume }: ReferredDay, volumeBefore: bigint): bigint => {
  const left = referredVolume - volumeBefore
  if (left <= 0n) return 0n
  return volume <= left ? base / 10n : (base * left) / (volume * 10n)
}
