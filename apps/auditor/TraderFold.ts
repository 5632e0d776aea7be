/**
 * Balances of one trader's accounts from the trader's own journal, without profits in markets. Money is in 1e-6 USD.
 */
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { TraderEvent } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import * as Versions from "./Versions.ts"

/**
 * `deposit`: incoming minus outgoing money, including transfers. `referralRewards`: rewards from referred users'
 * fees.
 */
export type Own = readonly [deposit: bigint, referralRewards: bigint]
const nothing: Own = [0n, 0n]

/** Prints balances for messages about faults. */
export const ownText = ([deposit, referralRewards]: readonly [deposit: unknown, referralRewards: unknown]): string =>
  `net deposits ${String(deposit)} and referral rewards ${String(referralRewards)}`

export interface TraderFold {
  readonly userId: UserId
  readonly accounts: Versions.Versions<Own>
}

export const make = (userId: UserId): TraderFold => ({ userId, accounts: Versions.make() })

export const asOf = ({ accounts }: TraderFold, account: string, seq: number): Own =>
  Versions.asOf(accounts, account, seq) ?? nothing

/** Applies one row's events. Calls `moved` with each account and the amount that it gains. */
export const take = (
  fold: TraderFold,
  events: ReadonlyArray<TraderEvent>,
  seq: number,
  moved: (account: string, amount: bigint) => void
): void => {
  const primary = primaryAccountOf(fold.userId)
  const move = (account: string, amount: bigint, reward = 0n) => {
    const [deposit, rewards] = asOf(fold, account, seq)
    Versions.set(fold.accounts, account, [deposit + amount, rewards + reward], seq)
    moved(account, amount + reward)
  }
  for (const event of events) {
    switch (event._tag) {
      case "Credited":
        move(event.accountId, event.amount)
        break
      case "Transferred":
        move(event.fromAccountId, -event.amount)
        move(event.toAccountId, event.amount)
        break
      case "ReferralsCredited":
        move(primary, 0n, event.amount)
        break
      case "Deposited":
      case "WithdrawalReturned":
        move(primary, event.amount)
        break
      case "DepositReversed":
      case "WithdrawalAccepted":
        move(primary, -event.amount)
        break
      default:
    }
  }
}

/** Returns the net amount that each account gains from the events. */
export const moves = (userId: UserId, events: ReadonlyArray<TraderEvent>): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  take(make(userId), events, 1, (account, amount) => {
    sums.set(account, (sums.get(account) ?? 0n) + amount)
  })
  return sums
}
