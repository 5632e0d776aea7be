/** State of one trader in memory: the user's accounts, the state of its own journal, and its in-flight commands. */
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { DeadManSwitch } from "@venue/domain/DeadManSwitch"
import { firstTier } from "@venue/domain/Fee"
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { OpenInterest } from "@venue/domain/OpenInterest"
import type { RailName, WithdrawalMethod } from "@venue/domain/Rail"
import type { Twap, TwapEnding, TwapId, TwapTerms } from "@venue/domain/Twap"
import type { UserId } from "@venue/domain/UserId"
import * as Account from "./Account.ts"
import type * as OrderHold from "./OrderHold.ts"
import * as Exposure from "./Exposure.ts"

export interface Settings {
  /** Maximum number of open orders of an account over all symbols, including in-flight placements. */
  readonly maxOpenOrdersPerAccount: number
  /** Maximum number of accounts besides the primary account. */
  readonly maxSubaccounts: number
}

export const defaults: Settings = { maxOpenOrdersPerAccount: 1_000, maxSubaccounts: 20 }

/** A command whose outcome is not yet known. */
export interface InFlight {
  readonly account: Account.Account
  readonly exposure: Exposure.Exposure
  /** Id of the order for which the command holds margin; empty if the command holds no margin. */
  readonly orderId: string
}

export interface TraderDeposit {
  readonly rail: RailName
  readonly amount: bigint
  readonly isReversed: boolean
}

export interface TraderWithdrawal {
  readonly method: WithdrawalMethod
  /** Gross amount, including the fee. */
  readonly amount: bigint
  readonly atMillis: number
  readonly isReturned: boolean
}

/** A TWAP in the trader's journal, with its progress. */
export interface TraderTwap {
  readonly symbol: MarketSymbol
  readonly terms: TwapTerms
  /** Progress in its market; undefined if the market has not reported the TWAP. */
  progress: Twap | undefined
  /** Null until the journal records the end. */
  ending: TwapEnding | null
  /** Id of the last command about the TWAP sent to its market; empty before the first. */
  sentId: string
}

/** State of one trader; its single owner changes it in place. */
export interface Trader {
  readonly userId: UserId
  readonly instruments: ReadonlyMap<MarketSymbol, Instrument>
  readonly prices: Account.Prices
  /** Open interest of the whole venue at these prices. */
  readonly openInterest: OpenInterest
  readonly settings: Settings
  /** Accounts, the primary account first. The primary account's id equals the user id. */
  readonly accounts: Map<AccountId, Account.Account>
  readonly joined: Set<MarketSymbol>
  /** Joined markets that the trader has left. Only cash remains there, which still counts towards the balance. */
  readonly left: Set<MarketSymbol>
  /** Markets in which the user's builder code is registered; empty for a user without a code. */
  readonly builderMarkets: Set<MarketSymbol>
  /** Ids of all credits, kept forever, because a rail might repeat a notice years later. */
  readonly creditIds: Set<string>
  readonly deposits: Map<string, TraderDeposit>
  readonly withdrawals: Map<string, TraderWithdrawal>
  /** Ids of the last day's transfers with their times, oldest first. */
  readonly transferIds: Map<string, number>
  /** Requests with an idempotency key, oldest first. */
  readonly requests: Map<string, { readonly fingerprint: string; readonly atMillis: number }>
  /** Account of each connection with cancel on disconnect. */
  readonly armed: Map<string, AccountId>
  /** Dead-man switch of each account that has ever used one. */
  readonly switches: Map<AccountId, DeadManSwitch>
  /** Time of each switch's newest renewal that changed nothing. Not part of the journal or the hash. */
  readonly renewedMillis: Map<AccountId, number>
  readonly inFlight: Map<string, InFlight>
  /** TWAPs that the journal has accepted and not yet removed, in order of acceptance. */
  readonly twaps: Map<TwapId, TraderTwap>
  /** Fee tier, counted from 1, and the day for which it was set; day 0 before the first. */
  tier: number
  tierDay: number
  /** The user's referrer; null if the user was not referred. */
  referrerId: UserId | null
  /** Last day with credited referral rewards; 0 before the first. */
  referralDay: number
  lastSequence: number
}

/** Returns a trader with an empty primary account. */
export const make = (
  userId: UserId,
  instruments: ReadonlyMap<MarketSymbol, Instrument>,
  prices: Account.Prices,
  openInterest: OpenInterest,
  settings: Settings
): Trader => ({
  userId,
  instruments,
  prices,
  openInterest,
  settings,
  accounts: new Map([[primaryAccountOf(userId), Account.make(primaryAccountOf(userId))]]),
  joined: new Set(),
  left: new Set(),
  builderMarkets: new Set(),
  creditIds: new Set(),
  deposits: new Map(),
  withdrawals: new Map(),
  transferIds: new Map(),
  requests: new Map(),
  armed: new Map(),
  switches: new Map(),
  renewedMillis: new Map(),
  inFlight: new Map(),
  twaps: new Map(),
  tier: firstTier,
  tierDay: 0,
  referrerId: null,
  referralDay: 0,
  lastSequence: 0
})

/** Returns a recorded event's account. Throws if it is missing, because the journals then contradict each other. */
export const accountOf = (trader: Trader, accountId: AccountId): Account.Account => {
  const account = trader.accounts.get(accountId)
  if (account === undefined) throw new Error(`user ${trader.userId} has no account ${accountId}`)
  return account
}

/** Returns the exposure of an account in a market, creating it if needed; undefined for an unlisted symbol. */
export const exposureOf = (
  trader: Trader,
  account: Account.Account,
  symbol: MarketSymbol
): Exposure.Exposure | undefined => {
  const known = account.exposures.get(symbol)
  if (known !== undefined) return known
  const instrument = trader.instruments.get(symbol)
  if (instrument === undefined) return undefined
  const exposure = Exposure.make(instrument, account.leverages.get(symbol) ?? instrument.maxLeverage, trader.tier)
  account.exposures.set(symbol, exposure)
  return exposure
}

/** Registers a command as in flight. `orderId` is the order for which it holds margin, or empty. */
export const send = (
  trader: Trader,
  account: Account.Account,
  exposure: Exposure.Exposure,
  commandId: string,
  orderId: string
): void => {
  trader.inFlight.set(commandId, { account, exposure, orderId })
  exposure.pending++
}

/** Removes a command and its hold, unless the hold has become an order. */
export const release = (trader: Trader, commandId: string): void => {
  const held = arrive(trader, commandId)
  if (held === undefined || held.orderId === "") return
  const { account, exposure, orderId } = held
  const hold = exposure.holds.get(orderId)
  if (hold === undefined) return
  if (orderId !== commandId) return unreplace(exposure, hold, commandId)
  if (hold.order === undefined) remove(account, exposure, hold)
}

/** Removes a command from the in-flight commands and keeps its hold; returns undefined if it was not in flight. */
export const arrive = (trader: Trader, commandId: string): InFlight | undefined => {
  const held = trader.inFlight.get(commandId)
  if (held === undefined) return undefined
  trader.inFlight.delete(commandId)
  held.exposure.pending--
  return held
}

/** Adds a hold to its exposure and to the count of open orders. */
export const add = (account: Account.Account, exposure: Exposure.Exposure, hold: OrderHold.OrderHold): void => {
  exposure.holds.set(hold.orderId, hold)
  Exposure.count(exposure, hold)
  if (hold.mayRest) account.openOrders++
}

/** Removes a hold from its exposure and from the count of open orders. */
export const remove = (account: Account.Account, exposure: Exposure.Exposure, hold: OrderHold.OrderHold): void => {
  exposure.holds.delete(hold.orderId)
  Exposure.uncount(exposure, hold)
  if (hold.mayRest) account.openOrders--
}

/** Removes the hold of one modify. */
const unreplace = (exposure: Exposure.Exposure, hold: OrderHold.OrderHold, commandId: string): void => {
  Exposure.uncount(exposure, hold)
  hold.replacements = hold.replacements.filter((replacement) => replacement.commandId !== commandId)
  Exposure.count(exposure, hold)
}
