/** What may be asked of the desk that holds a slice of the users. */
import { AccountId } from "@venue/domain/AccountId"
import { Deposit, ReverseDeposit } from "@venue/domain/Deposit"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Order, OrderRequest, StopRequest } from "@venue/domain/Order"
import { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import {
  AppointProvider,
  Arm,
  Credit,
  type LedgerCommand,
  ledgerRefusals,
  OpenAccount,
  SetDeadManSwitch,
  SetLeverage,
  Transfer
} from "@venue/domain/Trader"
import { Balance, Holding, ProviderLimit } from "@venue/domain/Balance"
import { AddTwap, Twap } from "@venue/domain/Twap"
import { Preview, PreviewRequest } from "@venue/domain/Preview"
import { RedeemCode } from "@venue/domain/Referral"
import { RestBucket } from "@venue/domain/RestRates"
import { UserId } from "@venue/domain/UserId"
import { VenueCancelOnly, VenueHalted, WithdrawalsBlocked } from "@venue/domain/VenueMode"
import { ReturnWithdrawal, Withdraw } from "@venue/domain/Withdrawal"
import { Schema, Struct } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { BuilderCode, Unavailable } from "./Market.ts"

/** The shards that desks live on. */
export const deskGroup = "desk"

/** The user's message bucket is full. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfterMillis: Schema.Number
}) {}

/** The user has as many connections as are allowed, over all gateways. */
export class TooManyConnections extends Schema.TaggedError<TooManyConnections>()("TooManyConnections", {
  userId: UserId
}) {}

/** What the markets of the user have committed is not all known here, so that nothing was decided: try again. */
export class MarketsBehind extends Schema.TaggedError<MarketsBehind>()("MarketsBehind", { userId: UserId }) {}

/** Which of the two message buckets of a user a message is taken from, and how much of it. */
export const Cost = Schema.Struct({ bucket: Schema.Literals(["general", "cancel"]), weight: Schema.Number })
export type Cost = typeof Cost.Type

/** Of what is limited elsewhere, as REST is by buckets of its own, or not at all. */
export const noCost: Cost = { bucket: "general", weight: 0 }

export const Submission = Schema.Struct({
  userId: UserId,
  cost: Cost,
  request: Schema.Union([OrderRequest, StopRequest, AddTwap]),
  /** It came over this connection, which is armed, or about to be. */
  connectionId: Schema.optionalKey(Schema.String)
})
export type Submission = typeof Submission.Type

/** What became of a submission at the desk; what became of it in its market comes by that market's log. */
export const Submitted = Schema.Union([
  /** On its way to these markets; a cancel of all orders may touch none. */
  Schema.TaggedStruct("HandedOn", { commandId: Schema.String, symbols: Schema.Array(MarketSymbol) }),
  Schema.TaggedStruct("BadSymbol", { commandId: Schema.String }),
  Schema.TaggedStruct("RateLimited", { commandId: Schema.String, retryAfterMillis: Schema.Number }),
  /** Not done, but where the refusal says that this is unknown. */
  Schema.TaggedStruct("Refused", { commandId: Schema.String, refusal: SubmitRefusal })
])
export type Submitted = typeof Submitted.Type

/** One account's money and positions now. */
export const AccountSummary = Schema.Struct({ balance: Balance, holdings: Schema.Array(Holding) })
export type AccountSummary = typeof AccountSummary.Type

export const OpenOrder = Schema.Struct({
  symbol: MarketSymbol,
  order: Order,
  /** A stop that came with an order: it carries the client order id of that one, and is not found by it. */
  isAttached: Schema.optionalKey(Schema.Boolean)
})
export type OpenOrder = typeof OpenOrder.Type

/** The newest come first. */
export const OpenOrders = Schema.Struct({
  orders: Schema.Array(OpenOrder),
  twaps: Schema.Array(Schema.Struct({ symbol: MarketSymbol, twap: Twap }))
})
export type OpenOrders = typeof OpenOrders.Type

/** How far the logs had come that this account's state was read from: reads of the past wait for these. */
export const Watermark = Schema.Struct({ symbol: MarketSymbol, seq: Schema.Number })
export type Watermark = typeof Watermark.Type

/** How many accounts of a desk are near liquidation, and how many traders wait for a market and are not counted yet. */
export const AccountsAtRisk = Schema.Struct({
  warned: Schema.Number,
  inLiquidation: Schema.Number,
  waiting: Schema.Number
})
export type AccountsAtRisk = typeof AccountsAtRisk.Type

/** Of each contract, in the order of listing. */
export const Leverages = Schema.Array(Schema.Struct({ symbol: MarketSymbol, leverage: Schema.Number }))
export type Leverages = typeof Leverages.Type

const account = { userId: UserId, accountId: AccountId }

/** What a takeover left of a position, since nobody could take it. */
export const LeftPosition = Schema.Struct({
  ...account,
  symbol: MarketSymbol,
  /** Signed. */
  quantityLots: Schema.Number,
  /** The first takeover that left something was closed then. */
  sinceMillis: Schema.Number
})
export type LeftPosition = typeof LeftPosition.Type

/** The newest row of a market's log that a node has been told. */
export const Head = Schema.Struct({ symbol: MarketSymbol, seq: Schema.Number })
export type Head = typeof Head.Type

/**
 * What is asked about one account, what it costs its user, and what the asker's node has been told: the answer is of no less.
 * A desk of the same node has been told the same, and so need not hear of it.
 */
export const Read = Schema.Struct({ ...account, cost: Cost, heads: Schema.optionalKey(Schema.Array(Head)) })
export type Read = typeof Read.Type

export const PreviewRead = Schema.Struct({ ...Read.fields, request: PreviewRequest })
export type PreviewRead = typeof PreviewRead.Type

/** What a desk says of an order before it is placed; where it would hand it on to no market, why. */
export const Previewed = Schema.Union([
  Schema.TaggedStruct("Previewed", Preview.fields),
  Schema.TaggedStruct("BadSymbol", {}),
  Schema.TaggedStruct("Refused", { refusal: SubmitRefusal })
])
export type Previewed = typeof Previewed.Type

/** A command for the user's ledger: the message is the command and what it costs. Answers when the trader's journal has it. */
const change = <
  const Tag extends LedgerCommand["_tag"],
  Fields extends Schema.Struct.Fields,
  Refusal extends Schema.Top,
  const Others extends ReadonlyArray<Schema.Top> = []
>(
  tag: Tag,
  command: { readonly fields: Fields },
  refusal: Refusal,
  ...others: Others
) =>
  Rpc.make(tag, {
    payload: { userId: UserId, cost: Cost, ...Struct.omit(command.fields, ["_tag"]) },
    error: Schema.Union([refusal, Unavailable, RateLimited, ...others])
  })

/** The gateway, and its own clock as it said this: only differences count, so that no two clocks are compared. */
const speaker = { gatewayId: Schema.String, saidAtMillis: Schema.Number }

/** A connection, and how long before this was said its gateway had last heard of it. */
export const Heard = Schema.Struct({ connectionId: Schema.String, userId: UserId, ageMillis: Schema.Number })
export type Heard = typeof Heard.Type

export const Renewed = Schema.Struct({
  ...Heard.fields,
  accountId: AccountId,
  /** Answer with this account's summary. */
  wanted: Schema.Boolean,
  /** The desk has said that it is armed, and was not asked to disarm it since. */
  isArmed: Schema.Boolean
})
export type Renewed = typeof Renewed.Type

export const Desk = Entity.make("Desk", [
  Rpc.make("Submit", {
    payload: { submissions: Schema.Array(Submission) },
    success: Schema.Array(Submitted),
    error: Unavailable
  }),
  Rpc.make("Summary", { payload: Read, success: AccountSummary, error: Schema.Union([Unavailable, RateLimited]) }),
  /** Of all accounts of the user at one moment, the primary one first. */
  Rpc.make("Balances", {
    payload: Read,
    success: Schema.Array(Balance),
    error: Schema.Union([Unavailable, RateLimited])
  }),
  Rpc.make("Orders", {
    payload: Read,
    success: OpenOrders,
    error: Schema.Union([Unavailable, RateLimited])
  }),
  Rpc.make("Leverages", {
    payload: Read,
    success: Leverages,
    error: Schema.Union([Unavailable, RateLimited])
  }),
  Rpc.make("Watermarks", {
    payload: Read,
    success: Schema.Array(Watermark),
    error: Schema.Union([Unavailable, RateLimited])
  }),
  /** Answers with the newest row of the trader's own journal: what the tables have of it, the reader may know. */
  Rpc.make("JournalHead", {
    payload: Read,
    success: Schema.Number,
    error: Schema.Union([Unavailable, RateLimited])
  }),
  /** Answers with the fee tier of the user, from 1 on. */
  Rpc.make("FeeTier", {
    payload: Read,
    success: Schema.Number,
    error: Schema.Union([Unavailable, RateLimited])
  }),
  /** Of one that was not placed: nothing is recorded, nor held after the answer. */
  Rpc.make("Preview", {
    payload: PreviewRead,
    success: Previewed,
    error: Schema.Union([Unavailable, RateLimited])
  }),
  Rpc.make("AtRisk", { success: AccountsAtRisk }),
  /** Positions of accounts in liquidation that nobody took so far. */
  Rpc.make("LeftPositions", { success: Schema.Array(LeftPosition) }),
  change("Credit", Credit, ledgerRefusals.Credit),
  /** Decided on no less than all markets of the user have committed, while the venue trades. */
  change("Transfer", Transfer, ledgerRefusals.Transfer, MarketsBehind, VenueCancelOnly, VenueHalted),
  /** Decided on no less than that, too, while withdrawals are open. */
  change("Withdraw", Withdraw, ledgerRefusals.Withdraw, MarketsBehind, WithdrawalsBlocked),
  change("ReturnWithdrawal", ReturnWithdrawal, ledgerRefusals.ReturnWithdrawal),
  change("Deposit", Deposit, ledgerRefusals.Deposit),
  change("ReverseDeposit", ReverseDeposit, ledgerRefusals.ReverseDeposit),
  change("SetLeverage", SetLeverage, ledgerRefusals.SetLeverage),
  change("OpenAccount", OpenAccount, ledgerRefusals.OpenAccount),
  change("RedeemCode", RedeemCode, ledgerRefusals.RedeemCode),
  /** Answers once the day is credited, or was before. */
  Rpc.make("CreditReferrals", {
    payload: { userId: UserId, day: Schema.Number, amount: Schema.BigInt },
    error: Schema.Union([Unavailable, RateLimited])
  }),
  /** Answers once the journal of this user says that they own the code. */
  Rpc.make("RegisterBuilder", { payload: { builderCode: Schema.String, ownerId: UserId }, error: Unavailable }),
  /** Answers once this user has joined every market and each knows their builder code. */
  Rpc.make("AppointBuilder", { payload: BuilderCode, error: Unavailable }),
  /** Answers once the user has joined those markets, and its journal has it. */
  change("AppointProvider", AppointProvider, ledgerRefusals.AppointProvider),
  Rpc.make("Providers", { success: Schema.Array(ProviderLimit) }),
  change("Arm", Arm, ledgerRefusals.Arm),
  change("SetDeadManSwitch", SetDeadManSwitch, ledgerRefusals.SetDeadManSwitch),
  /** Names a connection of a gateway, which is refused when it is one too many of its user. */
  Rpc.make("Attach", {
    payload: { ...speaker, connectionId: Schema.String, ...account },
    error: Schema.Union([Unavailable, TooManyConnections])
  }),
  /** The connection ended, for whatever reason: its armed cancel starts. */
  Rpc.make("Detach", { payload: { ...speaker, ...Heard.fields }, error: Unavailable }),
  /** Proof that a gateway lives, and these of its connections; without it for a lease armed ones count as ended. */
  Rpc.make("Renew", {
    payload: {
      ...speaker,
      connections: Schema.Array(Renewed),
      /** These are all connections of the gateway at this desk. */
      areAll: Schema.optionalKey(Schema.Boolean),
      /** Rows that the gateway has told: a summary that is behind them is left out. */
      heads: Schema.optionalKey(Schema.Array(Head))
    },
    success: Schema.Struct({
      /** Of the accounts that were wanted, in that order. */
      summaries: Schema.Array(AccountSummary),
      /** The gateway takes these for armed, and they have ended here: nobody had heard of them for a lease. */
      ended: Schema.Array(Schema.String),
      /** The desk has begun anew, and the gateway has not named all its connections since. */
      wantsAll: Schema.optionalKey(Schema.Boolean)
    }),
    error: Unavailable
  }),
  /**
   * Takes the weight and answers 0, or takes nothing and answers how many milliseconds to wait. A gateway that asks what
   * remains of what was taken is told a number below zero: one more than that, with the other sign (`RestCharge.ts`).
   */
  Rpc.make("SpendRest", {
    payload: {
      userId: UserId,
      bucket: RestBucket,
      weight: Schema.Number,
      wantsRemaining: Schema.optionalKey(Schema.Boolean)
    },
    success: Schema.Number
  }),
  /** Takes what a gateway has answered by itself from the user's message bucket and answers 0, or takes nothing, as `SpendRest`. */
  Rpc.make("SpendMessages", { payload: { userId: UserId, cost: Cost }, success: Schema.Number }),
  /** All connections of the gateway end, as it stops; it names those that may be armed. */
  Rpc.make("Leave", { payload: { ...speaker, connections: Schema.Array(Heard) }, error: Unavailable }),
  /** Asks nothing: a desk that is not up starts, and one that is says so. */
  Rpc.make("Wake")
])
  .annotate(ClusterSchema.ClientTracingEnabled, false)
  .annotate(ClusterSchema.ShardGroup, () => deskGroup)

/** The desk of a user: FNV-1a of the id, modulo the number of desks. */
export const deskOf = (userId: UserId, desks: number): string => {
  let hash = 0x811c9dc5
  for (let i = 0; i < userId.length; i++) hash = Math.imul(hash ^ userId.charCodeAt(i), 0x01000193)
  return String((hash >>> 0) % desks)
}
