/** What may be asked of one trader's ledger and what its journal records. Money in 1e-6 USD. */
import { Schema } from "effect"
import { AccountId } from "./AccountId.ts"
import { DeadManSwitch } from "./DeadManSwitch.ts"
import { Deposit, Deposited, DepositReversed, ReverseDeposit, UnknownDeposit } from "./Deposit.ts"
import { KeyedRequest, RequestDone, RequestKept, RequestKeyReused } from "./KeyedRequest.ts"
import { MarketSymbol } from "./MarketSymbol.ts"
import { AlreadyReferred, CreditReferrals, HasTraded, RedeemCode, ReferralsCredited, Referred } from "./Referral.ts"
import { AddTwap, InvalidTwap, TwapEnding, TwapId, TwapTerms } from "./Twap.ts"
import { UserId } from "./UserId.ts"
import {
  BelowMinimum,
  NotAboveFee,
  ReturnWithdrawal,
  UnknownWithdrawal,
  Withdraw,
  WithdrawalAccepted,
  WithdrawalReturned
} from "./Withdrawal.ts"

/** The name of a trader's stream in the journal. */
export const traderStream = (userId: UserId): string => `trader/${userId}`

/** Money comes from outside, or an operator corrects when it is negative. A repeat of `creditId` changes nothing. */
export const Credit = Schema.TaggedStruct("Credit", {
  creditId: Schema.String,
  accountId: AccountId,
  amount: Schema.BigInt,
  reason: Schema.String,
  /** The operator whose deed it is, whom the audit names. */
  by: Schema.optionalKey(Schema.String),
  request: Schema.optionalKey(KeyedRequest)
})
export type Credit = typeof Credit.Type

/** Money moves between two accounts of the same user. A repeat of `transferId` within a day changes nothing. */
export const Transfer = Schema.TaggedStruct("Transfer", {
  transferId: Schema.String,
  fromAccountId: AccountId,
  toAccountId: AccountId,
  amount: Schema.BigInt,
  request: Schema.optionalKey(KeyedRequest)
})
export type Transfer = typeof Transfer.Type

export const SetLeverage = Schema.TaggedStruct("SetLeverage", {
  accountId: AccountId,
  symbol: MarketSymbol,
  leverage: Schema.Number
})
export type SetLeverage = typeof SetLeverage.Type

/** Opens a subaccount; the primary account exists from the start and has the user's id. */
export const OpenAccount = Schema.TaggedStruct("OpenAccount", {
  accountId: AccountId,
  request: Schema.optionalKey(KeyedRequest)
})
export type OpenAccount = typeof OpenAccount.Type

/** Switches cancel-on-disconnect of one connection on or off. */
export const Arm = Schema.TaggedStruct("Arm", {
  connectionId: Schema.String,
  accountId: AccountId,
  armed: Schema.Boolean
})
export type Arm = typeof Arm.Type

/**
 * The orders of an account are to be cancelled so long after this came to its gateway, unless another such request comes
 * before that; 0 switches it off. A repeat changes nothing, and neither does a request that was overtaken.
 */
export const SetDeadManSwitch = Schema.TaggedStruct("SetDeadManSwitch", {
  accountId: AccountId,
  askedMillis: Schema.Number,
  timeoutSeconds: Schema.Number
})
export type SetDeadManSwitch = typeof SetDeadManSwitch.Type

/** The dead-man switches whose time has come fire. */
export const FireDeadManSwitches = Schema.TaggedStruct("FireDeadManSwitches", {})
export type FireDeadManSwitches = typeof FireDeadManSwitches.Type

/** All cancels of the dead-man switch that fired then are recorded. */
export const EndFiring = Schema.TaggedStruct("EndFiring", { accountId: AccountId, firedMillis: Schema.Number })
export type EndFiring = typeof EndFiring.Type

/**
 * A day has begun, and this is the effective volume of the days before it that count (rule 11.4). It changes nothing when
 * the tier of that day, or of a later one, is set.
 */
export const SetTier = Schema.TaggedStruct("SetTier", { day: Schema.Number, effectiveVolume: Schema.BigInt })
export type SetTier = typeof SetTier.Type

/** The user owns this builder code, and has joined these markets, which know it. Without markets it is on no order yet. */
export const AppointBuilder = Schema.TaggedStruct("AppointBuilder", {
  builderCode: Schema.String,
  symbols: Schema.Array(MarketSymbol)
})
export type AppointBuilder = typeof AppointBuilder.Type

/**
 * An account of the user is a liquidity provider in these markets, and takes over positions until its own is worth `limit`
 * at the mark, in 1e-6 USD; 0 ends it there. The user has joined them.
 */
export const AppointProvider = Schema.TaggedStruct("AppointProvider", {
  accountId: AccountId,
  symbols: Schema.Array(MarketSymbol),
  limit: Schema.Number
})
export type AppointProvider = typeof AppointProvider.Type

/** These TWAPs end; those that have ended, or are unknown, stay as they are. */
export const EndTwaps = Schema.TaggedStruct("EndTwaps", { twapIds: Schema.Array(TwapId), ending: TwapEnding })
export type EndTwaps = typeof EndTwaps.Type

/** The market of these TWAPs, which have ended, knows nothing of them. */
export const ForgetTwaps = Schema.TaggedStruct("ForgetTwaps", { twapIds: Schema.Array(TwapId) })
export type ForgetTwaps = typeof ForgetTwaps.Type

/** Of these markets the user leaves those where nothing of it is but cash. */
export const LeaveMarkets = Schema.TaggedStruct("LeaveMarkets", { symbols: Schema.Array(MarketSymbol) })
export type LeaveMarkets = typeof LeaveMarkets.Type

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
/** The command of that name. */
export type LedgerCommandOf<Tag extends LedgerCommand["_tag"]> = {
  readonly [Command in LedgerCommand as Command["_tag"]]: Command
}[Tag] & { readonly _tag: Tag }

export const Credited = Schema.TaggedStruct("Credited", {
  creditId: Schema.String,
  accountId: AccountId,
  amount: Schema.BigInt,
  reason: Schema.String,
  by: Schema.optionalKey(Schema.String),
  atMillis: Schema.Number
})
export type Credited = typeof Credited.Type

export const Transferred = Schema.TaggedStruct("Transferred", {
  transferId: Schema.String,
  fromAccountId: AccountId,
  toAccountId: AccountId,
  amount: Schema.BigInt,
  atMillis: Schema.Number
})
export type Transferred = typeof Transferred.Type

export const LeverageSet = Schema.TaggedStruct("LeverageSet", {
  accountId: AccountId,
  symbol: MarketSymbol,
  leverage: Schema.Number
})
export type LeverageSet = typeof LeverageSet.Type

export const AccountOpened = Schema.TaggedStruct("AccountOpened", { accountId: AccountId })
export type AccountOpened = typeof AccountOpened.Type

/** This is in the journal before the trader's first command to that market leaves, and before the first after it has left. */
export const Joined = Schema.TaggedStruct("Joined", { symbol: MarketSymbol })
export type Joined = typeof Joined.Type

/** Nothing of the user is in that market but cash, which cannot change: nobody has to wake the trader for it. */
export const Left = Schema.TaggedStruct("Left", { symbol: MarketSymbol, atMillis: Schema.Number })
export type Left = typeof Left.Type

export const Armed = Schema.TaggedStruct("Armed", { connectionId: Schema.String, accountId: AccountId })
export type Armed = typeof Armed.Type

export const Disarmed = Schema.TaggedStruct("Disarmed", { connectionId: Schema.String })
export type Disarmed = typeof Disarmed.Type

/** The fee tier of the user, from 1 on, until that of another day is set. */
export const TierSet = Schema.TaggedStruct("TierSet", {
  day: Schema.Number,
  tier: Schema.Number,
  /** It is kept as the reason for the tier. */
  effectiveVolume: Schema.BigInt,
  atMillis: Schema.Number
})
export type TierSet = typeof TierSet.Type

/**
 * The user owns this builder code, and it may be on orders to these markets. Markets of earlier events are not repeated;
 * the first event may be without markets.
 */
export const BuilderAppointed = Schema.TaggedStruct("BuilderAppointed", {
  builderCode: Schema.String,
  symbols: Schema.Array(MarketSymbol),
  atMillis: Schema.Number
})
export type BuilderAppointed = typeof BuilderAppointed.Type

/** In markets that are not named what was recorded before still holds. */
export const ProviderAppointed = Schema.TaggedStruct("ProviderAppointed", {
  accountId: AccountId,
  symbols: Schema.Array(MarketSymbol),
  limit: Schema.Number,
  atMillis: Schema.Number
})
export type ProviderAppointed = typeof ProviderAppointed.Type

/** The schedule of a TWAP. Its market opens it after this is recorded. */
export const TwapAccepted = Schema.TaggedStruct("TwapAccepted", { symbol: MarketSymbol, terms: TwapTerms })
export type TwapAccepted = typeof TwapAccepted.Type

/** No slice of it is placed from here on. Its market closes it after this is recorded. */
export const TwapEnded = Schema.TaggedStruct("TwapEnded", {
  twapId: TwapId,
  ending: TwapEnding,
  atMillis: Schema.Number
})
export type TwapEnded = typeof TwapEnded.Type

/** Its market has closed it, so nothing is left to do. */
export const TwapForgotten = Schema.TaggedStruct("TwapForgotten", { twapId: TwapId })
export type TwapForgotten = typeof TwapForgotten.Type

/** The dead-man switch of an account stands so from here on. */
export const DeadManSwitchSet = Schema.TaggedStruct("DeadManSwitchSet", {
  accountId: AccountId,
  ...DeadManSwitch.fields
})
export type DeadManSwitchSet = typeof DeadManSwitchSet.Type

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

export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()("InsufficientBalance", {
  withdrawable: Schema.BigInt,
  required: Schema.BigInt
}) {}

export class UnknownAccount extends Schema.TaggedError<UnknownAccount>()("UnknownAccount", {
  accountId: AccountId
}) {}

export class SameAccount extends Schema.TaggedError<SameAccount>()("SameAccount", { accountId: AccountId }) {}

/** Amounts of transfers and deposits are above zero; credits are not zero. */
export class InvalidAmount extends Schema.TaggedError<InvalidAmount>()("InvalidAmount", { amount: Schema.BigInt }) {}

export class UnknownSymbol extends Schema.TaggedError<UnknownSymbol>()("UnknownSymbol", { symbol: MarketSymbol }) {}

export class NotALevel extends Schema.TaggedError<NotALevel>()("NotALevel", {
  leverage: Schema.Number,
  maxLeverage: Schema.Number
}) {}

/** Leverage is fixed while the symbol has an open order or a position. */
export class LeverageInUse extends Schema.TaggedError<LeverageInUse>()("LeverageInUse", {
  symbol: MarketSymbol,
  openOrders: Schema.Number,
  hasPosition: Schema.Boolean
}) {}

export class TooManyAccounts extends Schema.TaggedError<TooManyAccounts>()("TooManyAccounts", {
  limit: Schema.Number
}) {}

/** Why each command is refused. */
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
export type LedgerRefusal<Tag extends LedgerCommand["_tag"] = LedgerCommand["_tag"]> =
  (typeof ledgerRefusals)[Tag]["Type"]

/** One account's money; `available` may be negative, through prices, funding, fees and reversed deposits only. */
export const Balance = Schema.Struct({
  accountId: AccountId,
  deposit: Schema.BigInt,
  realised: Schema.BigInt,
  unrealised: Schema.BigInt,
  funding: Schema.BigInt,
  fees: Schema.BigInt,
  /** What fills of others brought the owner of a builder code; `null` for an account that earns nothing by one. */
  builderRewards: Schema.NullOr(Schema.BigInt),
  /** What the fees of others brought whoever invited them. A node of an older release does not tell of it. */
  referralRewards: Schema.optionalKey(Schema.BigInt),
  orderMargin: Schema.BigInt,
  positionMargin: Schema.BigInt,
  equity: Schema.BigInt,
  available: Schema.BigInt,
  withdrawable: Schema.BigInt
})
export type Balance = typeof Balance.Type

/** An account is a liquidity provider in a market, up to this value of its position there, in 1e-6 USD. */
export const ProviderLimit = Schema.Struct({
  userId: UserId,
  accountId: AccountId,
  symbol: MarketSymbol,
  limit: Schema.Number
})
export type ProviderLimit = typeof ProviderLimit.Type

/** One account in one market. */
export const Holding = Schema.Struct({
  accountId: AccountId,
  symbol: MarketSymbol,
  /** Signed lots. */
  quantityLots: Schema.Number,
  /** Signed cost of the position in money: the average price is basis / quantity. */
  basis: Schema.Number,
  realised: Schema.Number,
  unrealised: Schema.BigInt,
  funding: Schema.Number,
  fees: Schema.Number,
  leverage: Schema.Number,
  marginHeld: Schema.BigInt,
  openOrders: Schema.Number,
  /** So many lots are not yet filled. */
  openQuantityLots: Schema.Number
})
export type Holding = typeof Holding.Type
