/** What a trader's own journal says, as plain values; what its markets say comes from their views. */
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { DeadManSwitch } from "@venue/domain/DeadManSwitch"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { RailName, WithdrawalMethod } from "@venue/domain/Rail"
import type { TwapEnding, TwapTerms } from "@venue/domain/Twap"
import type { UserId } from "@venue/domain/UserId"
import * as Account from "./Account.ts"
import { setLimit } from "./Provider.ts"
import { accountOf, type Trader } from "./Trader.ts"

/** Money is decimal text, which every encoding keeps whole. */
export interface Snapshot {
  readonly version: 11
  readonly userId: UserId
  readonly accounts: ReadonlyArray<{
    readonly accountId: AccountId
    readonly deposit: string
    readonly referralRewards: string
    readonly leverages: ReadonlyArray<readonly [symbol: MarketSymbol, leverage: number]>
    readonly providerLimits: ReadonlyArray<readonly [symbol: MarketSymbol, limit: number]>
  }>
  readonly joined: ReadonlyArray<MarketSymbol>
  readonly left: ReadonlyArray<MarketSymbol>
  readonly creditIds: ReadonlyArray<string>
  readonly transferIds: ReadonlyArray<readonly [transferId: string, atMillis: number]>
  readonly requests: ReadonlyArray<readonly [requestId: string, fingerprint: string, atMillis: number]>
  readonly armed: ReadonlyArray<readonly [connectionId: string, accountId: AccountId]>
  readonly builderMarkets: ReadonlyArray<MarketSymbol>
  readonly isBuilder: boolean
  readonly tier: number
  readonly tierDay: number
  readonly referrerId: UserId | null
  readonly referralDay: number
  /** How far they have come is for their markets to tell. */
  readonly twaps: ReadonlyArray<readonly [symbol: MarketSymbol, terms: TwapTerms, ending: TwapEnding | null]>
  readonly switches: ReadonlyArray<readonly [accountId: AccountId, deadManSwitch: DeadManSwitch]>
  readonly deposits: ReadonlyArray<readonly [depositId: string, rail: RailName, amount: string, isReversed: boolean]>
  readonly withdrawals: ReadonlyArray<
    readonly [withdrawalId: string, method: WithdrawalMethod, amount: string, atMillis: number, isReturned: boolean]
  >
}

/**
 * What any version wrote: the first knew no tiers, the second no builders, the third no providers, the fourth no TWAPs, the
 * fifth nobody who left, the sixth no requests and no times of transfers, the seventh no dead-man switches, the
 * eighth no referrals, the ninth no deposits and withdrawals. Up to the tenth a user with a code was one that markets know.
 */
type Stored =
  | Snapshot
  | Version10
  | Version9
  | Version8
  | Version7
  | Version6
  | Version5
  | Version4
  | Version3
  | Version2
  | ({ readonly version: 1 } & Omit<Version2, "version" | "tier" | "tierDay">)
interface Version2 extends Omit<Version3, "version" | "builderMarkets"> {
  readonly version: 2
}
interface Version3 extends Omit<Version4, "version" | "accounts"> {
  readonly version: 3
  readonly accounts: ReadonlyArray<Omit<Version4["accounts"][number], "providerLimits">>
}
interface Version4 extends Omit<Version5, "version" | "twaps"> {
  readonly version: 4
}
interface Version5 extends Omit<Version6, "version" | "left"> {
  readonly version: 5
}
interface Version6 extends Omit<Version7, "version" | "transferIds" | "requests"> {
  readonly version: 6
  readonly transferIds: ReadonlyArray<string>
}
interface Version7 extends Omit<Version8, "version" | "switches"> {
  readonly version: 7
}
interface Version8 extends Omit<Version9, "version" | "accounts" | "referrerId" | "referralDay"> {
  readonly version: 8
  readonly accounts: ReadonlyArray<Omit<Version9["accounts"][number], "referralRewards">>
}
interface Version9 extends Omit<Version10, "version" | "deposits" | "withdrawals"> {
  readonly version: 9
}
interface Version10 extends Omit<Snapshot, "version" | "isBuilder"> {
  readonly version: 10
}

export const snapshot = (trader: Trader): Snapshot => ({
  version: 11,
  userId: trader.userId,
  accounts: [...trader.accounts.values()].map(({ accountId, deposit, leverages, providerLimits, referralRewards }) => ({
    accountId,
    deposit: deposit.toString(),
    referralRewards: referralRewards.toString(),
    leverages: [...leverages],
    providerLimits: [...providerLimits]
  })),
  joined: [...trader.joined],
  left: [...trader.left],
  creditIds: [...trader.creditIds],
  transferIds: [...trader.transferIds],
  requests: Array.from(trader.requests, ([requestId, { atMillis, fingerprint }]) => [requestId, fingerprint, atMillis]),
  armed: [...trader.armed],
  builderMarkets: [...trader.builderMarkets],
  isBuilder: accountOf(trader, primaryAccountOf(trader.userId)).isBuilder,
  tier: trader.tier,
  tierDay: trader.tierDay,
  referrerId: trader.referrerId,
  referralDay: trader.referralDay,
  twaps: [...trader.twaps.values()].map(({ ending, symbol, terms }) => [symbol, terms, ending]),
  switches: [...trader.switches],
  deposits: Array.from(trader.deposits, ([depositId, { amount, isReversed, rail }]) => [
    depositId,
    rail,
    amount.toString(),
    isReversed
  ]),
  withdrawals: Array.from(trader.withdrawals, ([withdrawalId, { amount, atMillis, isReturned, method }]) => [
    withdrawalId,
    method,
    amount.toString(),
    atMillis,
    isReturned
  ])
})

/** Fills a trader just made. It holds nothing yet of any market. */
export const restore = (trader: Trader, from: Stored): void => {
  for (const { accountId, deposit, leverages } of from.accounts) {
    const account = Account.make(accountId)
    Account.deposit(account, BigInt(deposit))
    for (const [symbol, leverage] of leverages) account.leverages.set(symbol, leverage)
    trader.accounts.set(accountId, account)
  }
  for (const symbol of from.joined) trader.joined.add(symbol)
  for (const creditId of from.creditIds) trader.creditIds.add(creditId)
  for (const [connectionId, accountId] of from.armed) trader.armed.set(connectionId, accountId)
  if (from.version === 1) return
  trader.tier = from.tier
  trader.tierDay = from.tierDay
  if (from.version === 2) return
  for (const symbol of from.builderMarkets) trader.builderMarkets.add(symbol)
  accountOf(trader, primaryAccountOf(trader.userId)).isBuilder = from.builderMarkets.length > 0
  if (from.version === 3) return
  for (const { accountId, providerLimits } of from.accounts) {
    for (const [symbol, limit] of providerLimits) setLimit(trader, accountOf(trader, accountId), symbol, limit)
  }
  if (from.version === 4) return
  for (const [symbol, terms, ending] of from.twaps) {
    trader.twaps.set(terms.twapId, { symbol, terms, progress: undefined, ending, sentId: "" })
  }
  if (from.version === 5) return
  for (const symbol of from.left) trader.left.add(symbol)
  if (from.version === 6) return
  for (const [transferId, atMillis] of from.transferIds) trader.transferIds.set(transferId, atMillis)
  for (const [requestId, fingerprint, atMillis] of from.requests)
    trader.requests.set(requestId, { fingerprint, atMillis })
  if (from.version === 7) return
  for (const [accountId, deadManSwitch] of from.switches) trader.switches.set(accountId, deadManSwitch)
  if (from.version === 8) return
  for (const { accountId, referralRewards } of from.accounts) {
    Account.reward(accountOf(trader, accountId), BigInt(referralRewards))
  }
  trader.referrerId = from.referrerId
  trader.referralDay = from.referralDay
  if (from.version === 9) return
  for (const [depositId, rail, amount, isReversed] of from.deposits) {
    trader.deposits.set(depositId, { rail, amount: BigInt(amount), isReversed })
  }
  for (const [withdrawalId, method, amount, atMillis, isReturned] of from.withdrawals) {
    trader.withdrawals.set(withdrawalId, { method, amount: BigInt(amount), atMillis, isReturned })
  }
  if (from.version === 10) return
  accountOf(trader, primaryAccountOf(trader.userId)).isBuilder = from.isBuilder
}

/**
 * Hashes the state of the trader's own journal: equal after replay, and after snapshot and restore. Two FNV-1a hashes
 * make 64 bits in hex.
 */
export const hash = (trader: Trader): string => {
  const text = JSON.stringify(snapshot(trader))
  let low = 0x811c9dc5
  let high = 0x9dc5811c
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x01000193) ^ (low >>> 15)
  }
  return hex(high) + hex(low)
}

function hex(half: number): string {
  return (half >>> 0).toString(16).padStart(8, "0")
}
