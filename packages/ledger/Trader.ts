/** One trader in memory: the user's accounts, what its own journal says, and which commands are on their way. */
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
  /** One account may have so many over all symbols; placements on their way count. */
  readonly maxOpenOrdersPerAccount: number
  /** The primary account does not count. */
  readonly maxSubaccounts: number
}

export const defaults: Settings = { maxOpenOrdersPerAccount: 1_000, maxSubaccounts: 20 }

/** The outcome of such a command is not known. */
export interface InFlight {
  readonly account: Account.Account
  readonly exposure: Exposure.Exposure
  /** It holds margin for this order; empty when it holds nothing. */
  readonly orderId: string
}

/** It was credited. */
export interface TraderDeposit {
  readonly rail: RailName
  readonly amount: bigint
  readonly isReversed: boolean
}

/** It was debited. */
export interface TraderWithdrawal {
  readonly method: WithdrawalMethod
  /** The fee is a part of it. */
  readonly amount: bigint
  readonly atMillis: number
  readonly isReturned: boolean
}

/** A TWAP as its trader knows it. */
export interface TraderTwap {
  readonly symbol: MarketSymbol
  readonly terms: TwapTerms
  /** How far its market has come with it; undefined where that has told nothing of it. */
  progress: Twap | undefined
  /** Null until the journal says that it ends. */
  ending: TwapEnding | null
  /** The last command about it that was sent to its market; empty before the first. */
  sentId: string
}

/** Its one owner changes it in place. */
export interface Trader {
  readonly userId: UserId
  readonly instruments: ReadonlyMap<MarketSymbol, Instrument>
  readonly prices: Account.Prices
  /** Of the whole venue, at these prices. */
  readonly openInterest: OpenInterest
  readonly settings: Settings
  /** The primary account comes first; its id is the user's. */
  readonly accounts: Map<AccountId, Account.Account>
  readonly joined: Set<MarketSymbol>
  /** Markets it joined and left: what they hold of it is cash alone, which counts as before. */
  readonly left: Set<MarketSymbol>
  /** They know the user's builder code; none for a user without one. */
  readonly builderMarkets: Set<MarketSymbol>
  /** They are kept for ever, and so are deposits and withdrawals: a notice may be repeated years later. */
  readonly creditIds: Set<string>
  readonly deposits: Map<string, TraderDeposit>
  readonly withdrawals: Map<string, TraderWithdrawal>
  /** Those of a day, each with its time; the oldest comes first. */
  readonly transferIds: Map<string, number>
  /** Those with a key, each with what was asked and its time; the oldest comes first. */
  readonly requests: Map<string, { readonly fingerprint: string; readonly atMillis: number }>
  /** Each connection that cancels on disconnect has its account here. */
  readonly armed: Map<string, AccountId>
  /** Of each account that ever asked for one; the others have none that is on. */
  readonly switches: Map<AccountId, DeadManSwitch>
  /** The newest renewal of each that changed nothing came then. No journal has it, and the hash leaves it out. */
  readonly renewedMillis: Map<AccountId, number>
  readonly inFlight: Map<string, InFlight>
  /** Those that its journal has accepted and not yet forgotten, in that order. */
  readonly twaps: Map<TwapId, TraderTwap>
  /** The fee tier, from 1 on, and the day it was set for; 0 before the first. */
  tier: number
  tierDay: number
  /** Who brought the user; null for one who came without a code. */
  referrerId: UserId | null
  /** The last day that is credited for those whom the user has brought; 0 before the first. */
  referralDay: number
  lastSequence: number
}

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

/** Gives the account that a recorded event names. It was opened before, or the journals contradict each other. */
export const accountOf = (trader: Trader, accountId: AccountId): Account.Account => {
  const account = trader.accounts.get(accountId)
  if (account === undefined) throw new Error(`user ${trader.userId} has no account ${accountId}`)
  return account
}

/** Answers nothing when the symbol is not listed. */
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

/** Notes a command as on its way. `orderId` names the order it holds margin for, or nothing. */
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

/** Forgets a command and what it held, unless that has become an order. */
export const release = (trader: Trader, commandId: string): void => {
  const held = arrive(trader, commandId)
  if (held === undefined || held.orderId === "") return
  const { account, exposure, orderId } = held
  const hold = exposure.holds.get(orderId)
  if (hold === undefined) return
  if (orderId !== commandId) return unreplace(exposure, hold, commandId)
  if (hold.order === undefined) remove(account, exposure, hold)
}

/** The command is no longer on its way; what it held stays. */
export const arrive = (trader: Trader, commandId: string): InFlight | undefined => {
  const held = trader.inFlight.get(commandId)
  if (held === undefined) return undefined
  trader.inFlight.delete(commandId)
  held.exposure.pending--
  return held
}

export const add = (account: Account.Account, exposure: Exposure.Exposure, hold: OrderHold.OrderHold): void => {
  exposure.holds.set(hold.orderId, hold)
  Exposure.count(exposure, hold)
  if (hold.mayRest) account.openOrders++
}

export const remove = (account: Account.Account, exposure: Exposure.Exposure, hold: OrderHold.OrderHold): void => {
  exposure.holds.delete(hold.orderId)
  Exposure.uncount(exposure, hold)
  if (hold.mayRest) account.openOrders--
}

/** Ends the hold that one modify has on an order. */
const unreplace = (exposure: Exposure.Exposure, hold: OrderHold.OrderHold, commandId: string): void => {
  Exposure.uncount(exposure, hold)
  hold.replacements = hold.replacements.filter((replacement) => replacement.commandId !== commandId)
  Exposure.count(exposure, hold)
}
