/** Commands of one trader's ledger and the events of its journal. Money in 1e-6 USD. */
import { Schema } from "effect"
import { AccountId } from "./AccountId.ts"
import { DeadManSwitch } from "./DeadManSwitch.ts"
import { Deposit, Deposited, DepositReversed, ReverseDeposit, UnknownDeposit } from "./Deposit.ts"
import { KeyedRequest, RequestDone, RequestKept, RequestKeyReused } from "./KeyedRequest.ts"
import { MarketSymbol } from "./MarketSymbol.ts"
import { AlreadyReferred, CreditReferrals, HasTraded, RedeemCode, ReferralsCredited, Referred } from "./Referral.ts"
import { AddTwap, InvalidTwap, TwapEnding, TwapId, TwapTerms } from "./Twap.ts"
import type { UserId } from "./UserId.ts"
import {
  BelowMinimum,
  NotAboveFee,
  ReturnWithdrawal,
  UnknownWithdrawal,
  Withdraw,
  WithdrawalAccepted,
  WithdrawalReturned
} from "./Withdrawal.ts"

/** Returns the name of a trader's stream in the journal. */
export const traderStream = (userId: UserId): string => `trader/${userId}`

/** Credits money; a negative `amount` corrects a balance (rule 8.10). A repeat of `creditId` has no effect. */
export const Credit = Schema.TaggedStruct("Credit", {
  creditId: Schema.String,
  accountId: AccountId,
  amount: Schema.BigInt,
  reason: Schema.String,
  /** Operator who made the credit, for the audit log. */
  by: Schema.optionalKey(Schema.String),
  request: Schema.optionalKey(KeyedRequest)
})
export type Credit = typeof Credit.Type

/** Transfers money between two of the user's accounts (rule 14.2). A repeat of the id within a day has no effect. */
export const Transfer = Schema.TaggedStruct("Transfer", {
  transferId: Schema.String,
  fromAccountId: AccountId,
  toAccountId: AccountId,
  amount: Schema.BigInt,
  request: Schema.optionalKey(KeyedRequest)
})
export type Transfer = typeof Transfer.Type

/** Sets the leverage of an account in a symbol (rule 7.2). */
export const SetLeverage = Schema.TaggedStruct("SetLeverage", {
  accountId: AccountId,
  symbol: MarketSymbol,
  leverage: Schema.Number
})
export type SetLeverage = typeof SetLeverage.Type

/** Opens a subaccount; the primary account exists from registration. */
export const OpenAccount = Schema.TaggedStruct("OpenAccount", {
  accountId: AccountId,
  request: Schema.optionalKey(KeyedRequest)
})
export type OpenAccount = typeof OpenAccount.Type

/** Switches cancel on disconnect on or off for one connection (rule 4.13). */
export const Arm = Schema.TaggedStruct("Arm", {
  connectionId: Schema.String,
  accountId: AccountId,
  armed: Schema.Boolean
})
export type Arm = typeof Arm.Type

/**
 * Sets or renews an account's dead-man switch, or switches it off if the timeout is 0. The timeout counts from
 * `askedMillis`, the arrival of the request at the gateway (rule 4.21). A repeat, or a request older than a recorded
 * one, has no effect.
 */
export const SetDeadManSwitch = Schema.TaggedStruct("SetDeadManSwitch", {
  accountId: AccountId,
  askedMillis: Schema.Number,
  timeoutSeconds: Schema.Number
})
export type SetDeadManSwitch = typeof SetDeadManSwitch.Type

/** Fires the dead-man switches that are due. */
export const FireDeadManSwitches = Schema.TaggedStruct("FireDeadManSwitches", {})
export type FireDeadManSwitches = typeof FireDeadManSwitches.Type

/** Ends a firing: all cancels of the switch that fired at `firedMillis` are recorded. */
export const EndFiring = Schema.TaggedStruct("EndFiring", { accountId: AccountId, firedMillis: Schema.Number })
export type EndFiring = typeof EndFiring.Type

/**
 * Sets the fee tier for a day from the effective volume of the preceding days (rule 11.4). Has no effect if the tier
 * for that day or a later day is already set.
 */
export const SetTier = Schema.TaggedStruct("SetTier", { day: Schema.Number, effectiveVolume: Schema.BigInt })
export type SetTier = typeof SetTier.Type

/**
 * Registers the user as owner of a builder code in markets that the user has joined and that know the code. With an
 * empty list, no order can carry the code yet.
 */
export const AppointBuilder = Schema.TaggedStruct("AppointBuilder", {
  builderCode: Schema.String,
  symbols: Schema.Array(MarketSymbol)
})
export type AppointBuilder = typeof AppointBuilder.Type

/**
 * Appoints an account as liquidity provider in markets that the user has joined. The account takes positions over
 * until its own position is worth `limit`, in 1e-6 USD at the mark; 0 ends the appointment (rule 9.11).
 */
export const AppointProvider = Schema.TaggedStruct("AppointProvider", {
  accountId: AccountId,
  symbols: Schema.Array(MarketSymbol),
  limit: Schema.Number
})
export type AppointProvider = typeof AppointProvider.Type

/** Ends TWAPs. Has no effect on a TWAP that is unknown or has ended. */
export const EndTwaps = Schema.TaggedStruct("EndTwaps", { twapIds: Schema.Array(TwapId), ending: TwapEnding })
export type EndTwaps = typeof EndTwaps.Type

/** Removes ended TWAPs that their market has closed. */
export const ForgetTwaps = Schema.TaggedStruct("ForgetTwaps", { twapIds: Schema.Array(TwapId) })
export type ForgetTwaps = typeof ForgetTwaps.Type

/** Leaves each of these markets in which the user holds only cash. */
export const LeaveMarkets = Schema.TaggedStruct("LeaveMarkets", { symbols: Schema.Array(MarketSymbol) })
export type LeaveMarkets = typeof LeaveMarkets.Type

/** Commands of a trader's ledger. */
export const LedgerCommand = Schema.Union([
  Credit,
  Transfer,
  SetLeverage,
  OpenAccount,
  Arm,
  SetTier,
  AppointBuilder,
  AppointProvider,
  AddTwap,
  EndTwaps,
  ForgetTwaps,
  LeaveMarkets,
  SetDeadManSwitch,
  FireDeadManSwitches,
  EndFiring,
  RedeemCode,
  CreditReferrals,
  Deposit,
  ReverseDeposit,
  Withdraw,
  ReturnWithdrawal
])
export type LedgerCommand = typeof LedgerCommand.Type
/** Command with this tag. */
export type LedgerCommandOf<Tag extends LedgerCommand["_tag"]> = {
  readonly [Command in LedgerCommand as Command["_tag"]]: Command
}[Tag] & { readonly _tag: Tag }

/** Money was credited, or a balance was corrected. */
export const Credited = Schema.TaggedStruct("Credited", {
  creditId: Schema.String,
  accountId: AccountId,
  amount: Schema.BigInt,
  reason: Schema.String,
  by: Schema.optionalKey(Schema.String),
  atMillis: Schema.Number
})
export type Credited = typeof Credited.Type

/** Money was transferred between two of the user's accounts. */
export const Transferred = Schema.TaggedStruct("Transferred", {
  transferId: Schema.String,
  fromAccountId: AccountId,
  toAccountId: AccountId,
  amount: Schema.BigInt,
  atMillis: Schema.Number
})
export type Transferred = typeof Transferred.Type

/** The leverage of an account in a symbol changed. */
export const LeverageSet = Schema.TaggedStruct("LeverageSet", {
  accountId: AccountId,
  symbol: MarketSymbol,
  leverage: Schema.Number
})
export type LeverageSet = typeof LeverageSet.Type

/** A subaccount was opened. */
export const AccountOpened = Schema.TaggedStruct("AccountOpened", { accountId: AccountId })
export type AccountOpened = typeof AccountOpened.Type

/**
 * The user joined a market. Recorded before the first command to the market, and again before the first command after
 * `Left`.
 */
export const Joined = Schema.TaggedStruct("Joined", { symbol: MarketSymbol })
export type Joined = typeof Joined.Type

/**
 * The user left a market in which they held only cash. The cash cannot change, so the market's events need not load
 * the trader.
 */
export const Left = Schema.TaggedStruct("Left", { symbol: MarketSymbol, atMillis: Schema.Number })
export type Left = typeof Left.Type

/** Cancel on disconnect was switched on for a connection. */
export const Armed = Schema.TaggedStruct("Armed", { connectionId: Schema.String, accountId: AccountId })
export type Armed = typeof Armed.Type

/** Cancel on disconnect was switched off for a connection. */
export const Disarmed = Schema.TaggedStruct("Disarmed", { connectionId: Schema.String })
export type Disarmed = typeof Disarmed.Type

/** The user's fee tier, counted from 1, was set. It applies until the tier of another day is set. */
export const TierSet = Schema.TaggedStruct("TierSet", {
  day: Schema.Number,
  tier: Schema.Number,
  /** Effective volume that led to the tier. */
  effectiveVolume: Schema.BigInt,
  atMillis: Schema.Number
})
export type TierSet = typeof TierSet.Type

/**
 * The user owns this builder code. Orders can carry the code in these markets and in the markets of earlier events.
 * The first event can have an empty list.
 */
export const BuilderAppointed = Schema.TaggedStruct("BuilderAppointed", {
  builderCode: Schema.String,
  symbols: Schema.Array(MarketSymbol),
  atMillis: Schema.Number
})
export type BuilderAppointed = typeof BuilderAppointed.Type

/** An account was appointed as liquidity provider. Markets that are not listed keep their earlier limit. */
export const ProviderAppointed = Schema.TaggedStruct("ProviderAppointed", {
  accountId: AccountId,
  symbols: Schema.Array(MarketSymbol),
  limit: Schema.Number,
  atMillis: Schema.Number
})
export type ProviderAppointed = typeof ProviderAppointed.Type

/** A TWAP was accepted. The market opens the TWAP after this event is recorded. */
export const TwapAccepted = Schema.TaggedStruct("TwapAccepted", { symbol: MarketSymbol, terms: TwapTerms })
export type TwapAccepted = typeof TwapAccepted.Type

/** A TWAP ended: no slice is placed from here on. The market closes the TWAP after this event is recorded. */
export const TwapEnded = Schema.TaggedStruct("TwapEnded", {
  twapId: TwapId,
  ending: TwapEnding,
  atMillis: Schema.Number
})
export type TwapEnded = typeof TwapEnded.Type

/** The TWAP was removed from the trader's state, because its market has closed it. */
export const TwapForgotten = Schema.TaggedStruct("TwapForgotten", { twapId: TwapId })
export type TwapForgotten = typeof TwapForgotten.Type

/** The new state of an account's dead-man switch. */
export const DeadManSwitchSet = Schema.TaggedStruct("DeadManSwitchSet", {
  accountId: AccountId,
  ...DeadManSwitch.fields
})
export type DeadManSwitchSet = typeof DeadManSwitchSet.Type

/** Events of a trader's journal. */
export const TraderEvent = Schema.Union([
  Credited,
  Transferred,
  LeverageSet,
  AccountOpened,
  Joined,
  Left,
  Armed,
  Disarmed,
  TierSet,
  BuilderAppointed,
  ProviderAppointed,
  TwapAccepted,
  TwapEnded,
  TwapForgotten,
  RequestKept,
  DeadManSwitchSet,
  Referred,
  ReferralsCredited,
  Deposited,
  DepositReversed,
  WithdrawalAccepted,
  WithdrawalReturned
])
export type TraderEvent = typeof TraderEvent.Type

/** The amount exceeds the withdrawable balance, in 1e-6 USD. */
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()("InsufficientBalance", {
  withdrawable: Schema.BigInt,
  required: Schema.BigInt
}) {}

/** The user has no account with this id. */
export class UnknownAccount extends Schema.TaggedError<UnknownAccount>()("UnknownAccount", {
  accountId: AccountId
}) {}

/** Source and destination of a transfer are the same account. */
export class SameAccount extends Schema.TaggedError<SameAccount>()("SameAccount", { accountId: AccountId }) {}

/** The amount is invalid: transfers and deposits must be above zero, credits must not be zero. */
export class InvalidAmount extends Schema.TaggedError<InvalidAmount>()("InvalidAmount", { amount: Schema.BigInt }) {}

/** The venue does not list this symbol. */
export class UnknownSymbol extends Schema.TaggedError<UnknownSymbol>()("UnknownSymbol", { symbol: MarketSymbol }) {}

/** The leverage is not a whole level from 1 to `maxLeverage`. */
export class NotALevel extends Schema.TaggedError<NotALevel>()("NotALevel", {
  leverage: Schema.Number,
  maxLeverage: Schema.Number
}) {}

/** The leverage cannot change while the symbol has an open order or a position (rule 7.2). */
export class LeverageInUse extends Schema.TaggedError<LeverageInUse>()("LeverageInUse", {
  symbol: MarketSymbol,
  openOrders: Schema.Number,
  hasPosition: Schema.Boolean
}) {}

/** The user already has the maximum number of accounts, `limit`. */
export class TooManyAccounts extends Schema.TaggedError<TooManyAccounts>()("TooManyAccounts", {
  limit: Schema.Number
}) {}

export const ledgerRefusals = {
  Credit: Schema.Union([UnknownAccount, InvalidAmount, InsufficientBalance, RequestDone, RequestKeyReused]),
  Transfer: Schema.Union([
    UnknownAccount,
    SameAccount,
    InvalidAmount,
    InsufficientBalance,
    RequestDone,
    RequestKeyReused
  ]),
  SetLeverage: Schema.Union([UnknownAccount, UnknownSymbol, NotALevel, LeverageInUse]),
  OpenAccount: Schema.Union([TooManyAccounts, RequestDone, RequestKeyReused]),
  Arm: UnknownAccount,
  SetTier: Schema.Never,
  AppointBuilder: Schema.Never,
  AppointProvider: Schema.Union([UnknownAccount, UnknownSymbol]),
  AddTwap: Schema.Union([UnknownAccount, InvalidTwap]),
  EndTwaps: Schema.Never,
  ForgetTwaps: Schema.Never,
  LeaveMarkets: Schema.Never,
  SetDeadManSwitch: UnknownAccount,
  FireDeadManSwitches: Schema.Never,
  EndFiring: Schema.Never,
  RedeemCode: Schema.Union([AlreadyReferred, HasTraded, RequestDone, RequestKeyReused]),
  CreditReferrals: Schema.Never,
  Deposit: InvalidAmount,
  ReverseDeposit: UnknownDeposit,
  Withdraw: Schema.Union([BelowMinimum, NotAboveFee, InsufficientBalance, RequestDone, RequestKeyReused]),
  ReturnWithdrawal: UnknownWithdrawal
} satisfies { readonly [Tag in LedgerCommand["_tag"]]: Schema.Top }
/** Errors of the command with this tag. */
export type LedgerRefusal<Tag extends LedgerCommand["_tag"] = LedgerCommand["_tag"]> =
  (typeof ledgerRefusals)[Tag]["Type"]
