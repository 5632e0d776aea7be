/**
 * Snapshot of the state that a trader's own journal determines, as plain values. Positions are excluded, because they
 * come from the markets' views.
 */
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { DeadManSwitch } from "@venue/domain/DeadManSwitch"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { RailName, WithdrawalMethod } from "@venue/domain/Rail"
import type { TwapEnding, TwapTerms } from "@venue/domain/Twap"
import type { UserId } from "@venue/domain/UserId"
import * as Account from "./Account.ts"
import { setLimit } from "./Provider.ts"
import { accountOf, type Trader } from "./Trader.ts"

/** Version of the stored format. Version 1 is the format of release 0.1.0. */
export const version = 1

/** Amounts are decimal text, which every encoding preserves exactly. */
export interface Snapshot {
  readonly version: typeof version
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
  /** TWAPs without their progress, which comes from their markets. */
  readonly twaps: ReadonlyArray<readonly [symbol: MarketSymbol, terms: TwapTerms, ending: TwapEnding | null]>
  readonly switches: ReadonlyArray<readonly [accountId: AccountId, deadManSwitch: DeadManSwitch]>
  readonly deposits: ReadonlyArray<readonly [depositId: string, rail: RailName, amount: string, isReversed: boolean]>
  readonly withdrawals: ReadonlyArray<
    readonly [withdrawalId: string, method: WithdrawalMethod, amount: string, atMillis: number, isReturned: boolean]
  >
}

/**
 * Returns a stored snapshot in the current format. Returns undefined for a version that this release cannot read; the
 * journal is then replayed from its first row. A release that changes the format raises `version` and converts the
 * previous version here.
 */
export const readSnapshot = (stored: unknown): Snapshot | undefined =>
  (stored as { readonly version?: unknown }).version === version ? (stored as Snapshot) : undefined

export const snapshot = (trader: Trader): Snapshot => ({
  version,
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

/** Fills a new trader, which has no market state yet. */
export const restore = (trader: Trader, from: Snapshot): void => {
  for (const { accountId, deposit, leverages, providerLimits, referralRewards } of from.accounts) {
    const account = Account.make(accountId)
    Account.deposit(account, BigInt(deposit))
    for (const [symbol, leverage] of leverages) account.leverages.set(symbol, leverage)
    trader.accounts.set(accountId, account)
    for (const [symbol, limit] of providerLimits) setLimit(trader, account, symbol, limit)
    Account.reward(account, BigInt(referralRewards))
  }
  for (const symbol of from.joined) trader.joined.add(symbol)
  for (const symbol of from.left) trader.left.add(symbol)
  for (const creditId of from.creditIds) trader.creditIds.add(creditId)
  for (const [transferId, atMillis] of from.transferIds) trader.transferIds.set(transferId, atMillis)
  for (const [requestId, fingerprint, atMillis] of from.requests)
    trader.requests.set(requestId, { fingerprint, atMillis })
  for (const [connectionId, accountId] of from.armed) trader.armed.set(connectionId, accountId)
  for (const symbol of from.builderMarkets) trader.builderMarkets.add(symbol)
  accountOf(trader, primaryAccountOf(trader.userId)).isBuilder = from.isBuilder
  trader.tier = from.tier
  trader.tierDay = from.tierDay
  trader.referrerId = from.referrerId
  trader.referralDay = from.referralDay
  for (const [symbol, terms, ending] of from.twaps) {
    trader.twaps.set(terms.twapId, { symbol, terms, progress: undefined, ending, sentId: "" })
  }
  for (const [accountId, deadManSwitch] of from.switches) trader.switches.set(accountId, deadManSwitch)
  for (const [depositId, rail, amount, isReversed] of from.deposits) {
    trader.deposits.set(depositId, { rail, amount: BigInt(amount), isReversed })
  }
  for (const [withdrawalId, method, amount, atMillis, isReturned] of from.withdrawals) {
    trader.withdrawals.set(withdrawalId, { method, amount: BigInt(amount), atMillis, isReturned })
  }
}

/**
 * Hashes the state from the trader's own journal. The hash is the same after a replay, and after a snapshot and
 * restore. Two FNV-1a hashes form 64 bits in hexadecimal.
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
