/** The user's referrer and credited referral rewards (rule 13). */
import { primaryAccountOf } from "@venue/domain/AccountId"
import {
  AlreadyReferred,
  type CreditReferrals,
  HasTraded,
  type RedeemCode,
  type ReferralsCredited
} from "@venue/domain/Referral"
import type { TraderEvent } from "@venue/domain/Trader"
import { Result } from "effect"
import * as Account from "./Account.ts"
import { accountOf, type Trader } from "./Trader.ts"

/**
 * Decides whether the user is allowed to redeem an invitation code: the user must not have a referrer, and must not
 * have traded before. Needs the state of every market that the user has joined.
 */
export const redeem = (
  { accounts, referrerId: before, userId }: Trader,
  { code, referrerId }: RedeemCode,
  atMillis: number
): Result.Result<ReadonlyArray<TraderEvent>, AlreadyReferred | HasTraded> => {
  if (before !== null) return Result.fail(new AlreadyReferred({ referrerId: before }))
  if ([...accounts.values()].some(hasTraded)) return Result.fail(new HasTraded({ userId }))
  return Result.succeed([{ _tag: "Referred", code, referrerId, atMillis }])
}

/** Returns the event that credits a day's rewards, or no event if that day or a later day is already credited. */
export const credit = (
  { referralDay }: Trader,
  { amount, day }: CreditReferrals,
  atMillis: number
): ReadonlyArray<TraderEvent> => (day <= referralDay ? [] : [{ _tag: "ReferralsCredited", day, amount, atMillis }])

export const credited = (trader: Trader, { amount, day }: ReferralsCredited): void => {
  trader.referralDay = day
  Account.reward(accountOf(trader, primaryAccountOf(trader.userId)), amount)
}

const hasTraded = ({ exposures }: Account.Account): boolean =>
  [...exposures.values()].some(
    ({ position, traded }) => traded || position.quantityLots !== 0 || position.cashFlow !== 0 || position.fees !== 0
  )
