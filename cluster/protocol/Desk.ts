/** Messages to a desk, the entity that serves a share of the users. */
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

/** Shard group for desks. */
export const deskGroup = "desk"

/** The user's message bucket is full. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfterMillis: Schema.Number
}) {}

/** The user has reached the connection limit over all gateways. */
export class TooManyConnections extends Schema.TaggedError<TooManyConnections>()("TooManyConnections", {
  userId: UserId
}) {}

/** The desk has not applied all committed rows of the user's markets, so it decided nothing. The caller can retry. */
export class MarketsBehind extends Schema.TaggedError<MarketsBehind>()("MarketsBehind", { userId: UserId }) {}

/** Weight of a message, and the user's bucket to which it is charged. */
export const Cost = Schema.Struct({ bucket: Schema.Literals(["general", "cancel"]), weight: Schema.Number })
export type Cost = typeof Cost.Type

/** Cost of a message that is not limited here, although another limit might apply, such as the one on REST requests. */
export const noCost: Cost = { bucket: "general", weight: 0 }

/** A user's order, stop or TWAP request, sent from a gateway to the desk. */
export const Submission = Schema.Struct({
  userId: UserId,
  cost: Cost,
  request: Schema.Union([OrderRequest, StopRequest, AddTwap]),
  /** Connection that sent the request, if it is armed or about to be armed. */
  connectionId: Schema.optionalKey(Schema.String)
})
export type Submission = typeof Submission.Type

/** A desk's reply to a submission. The outcome follows in the market's log. */
export const Submitted = Schema.Union([
  /** The request was sent to these markets, possibly to none for a cancel of all orders. */
  Schema.TaggedStruct("HandedOn", { commandId: Schema.String, symbols: Schema.Array(MarketSymbol) }),
  Schema.TaggedStruct("BadSymbol", { commandId: Schema.String }),
  Schema.TaggedStruct("RateLimited", { commandId: Schema.String, retryAfterMillis: Schema.Number }),
  /** The request was not executed, unless the refusal states that the outcome is unknown. */
  Schema.TaggedStruct("Refused", { commandId: Schema.String, refusal: SubmitRefusal })
])
export type Submitted = typeof Submitted.Type

export const AccountSummary = Schema.Struct({ balance: Balance, holdings: Schema.Array(Holding) })
export type AccountSummary = typeof AccountSummary.Type

/** An open order or a waiting stop. */
export const OpenOrder = Schema.Struct({
  symbol: MarketSymbol,
  order: Order,
  /**
   * Whether the stop was attached to an order. It then carries that order's client order id but cannot be addressed
   * by it.
   */
  isAttached: Schema.optionalKey(Schema.Boolean)
})
export type OpenOrder = typeof OpenOrder.Type

/** Open orders and TWAPs, newest first. */
export const OpenOrders = Schema.Struct({
  orders: Schema.Array(OpenOrder),
  twaps: Schema.Array(Schema.Struct({ symbol: MarketSymbol, twap: Twap }))
})
export type OpenOrders = typeof OpenOrders.Type

/** Newest row of a market that an account's state includes. Reads of history wait until the tables contain it. */
export const Watermark = Schema.Struct({ symbol: MarketSymbol, seq: Schema.Number })
export type Watermark = typeof Watermark.Type

/**
 * Counts of a desk's accounts near and in liquidation. `waiting` counts traders that are not included yet, because
 * one of their markets is not live.
 */
export const AccountsAtRisk = Schema.Struct({
  warned: Schema.Number,
  inLiquidation: Schema.Number,
  waiting: Schema.Number
})
export type AccountsAtRisk = typeof AccountsAtRisk.Type

/** An account's leverage in each contract, in listing order. */
export const Leverages = Schema.Array(Schema.Struct({ symbol: MarketSymbol, leverage: Schema.Number }))
export type Leverages = typeof Leverages.Type

const account = { userId: UserId, accountId: AccountId }

/** Remainder of a position after a takeover that found too few counterparties. */
export const LeftPosition = Schema.Struct({
  ...account,
  symbol: MarketSymbol,
  /** Signed quantity. */
  quantityLots: Schema.Number,
  /** Time of the first takeover that left a remainder. */
  sinceMillis: Schema.Number
})
export type LeftPosition = typeof LeftPosition.Type

/** Newest row of a market's log that a node has applied. */
export const Head = Schema.Struct({ symbol: MarketSymbol, seq: Schema.Number })
export type Head = typeof Head.Type

/**
 * A read of one account, with its cost. `heads` are the newest rows that the caller's node has applied, and the
 * response includes at least these. A caller on the desk's own node omits `heads`, because both share one feed.
 */
export const Read = Schema.Struct({ ...account, cost: Cost, heads: Schema.optionalKey(Schema.Array(Head)) })
export type Read = typeof Read.Type

export const PreviewRead = Schema.Struct({ ...Read.fields, request: PreviewRequest })
export type PreviewRead = typeof PreviewRead.Type

/** A desk's response to a preview request. A refusal states why the desk would not send the order to its market. */
export const Previewed = Schema.Union([
  Schema.TaggedStruct("Previewed", Preview.fields),
  Schema.TaggedStruct("BadSymbol", {}),
  Schema.TaggedStruct("Refused", { refusal: SubmitRefusal })
])
export type Previewed = typeof Previewed.Type

/** Defines a message with a ledger command and its cost. The desk responds once the command is in the journal. */
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

/** Sending gateway, and the sending time by its own clock. Desks use only differences between such times. */
const speaker = { gatewayId: Schema.String, saidAtMillis: Schema.Number }

/** A connection, and the time between the client's last frame and the sending of this message. */
export const SeenConnection = Schema.Struct({ connectionId: Schema.String, userId: UserId, ageMillis: Schema.Number })
export type SeenConnection = typeof SeenConnection.Type

/** A connection whose lease a gateway renews. */
export const RenewedConnection = Schema.Struct({
  ...SeenConnection.fields,
  accountId: AccountId,
  /** Whether the response includes the account's summary. */
  wanted: Schema.Boolean,
  /** Whether the desk has confirmed that the connection is armed, with no later request to disarm it. */
  isArmed: Schema.Boolean
})
export type RenewedConnection = typeof RenewedConnection.Type

export const Desk = Entity.make("Desk", [
  Rpc.make("Submit", {
    payload: { submissions: Schema.Array(Submission) },
    success: Schema.Array(Submitted),
    error: Unavailable
  }),
  Rpc.make("Summary", { payload: Read, success: AccountSummary, error: Schema.Union([Unavailable, RateLimited]) }),
  /** Returns the balances of all of the user's accounts at one moment, the primary account first. */
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
  /**
   * Returns the sequence number of the newest row in the trader's own journal. Reads of tables derived from the
   * journal wait for this row.
   */
  Rpc.make("JournalHead", {
    payload: Read,
    success: Schema.Number,
    error: Schema.Union([Unavailable, RateLimited])
  }),
  /** Returns the user's fee tier, counted from 1. */
  Rpc.make("FeeTier", {
    payload: Read,
    success: Schema.Number,
    error: Schema.Union([Unavailable, RateLimited])
  }),
  /** Returns the outcome that an order would have. Changes nothing. */
  Rpc.make("Preview", {
    payload: PreviewRead,
    success: Previewed,
    error: Schema.Union([Unavailable, RateLimited])
  }),
  Rpc.make("AtRisk", { success: AccountsAtRisk }),
  /** Returns the positions of accounts in liquidation for which no counterparty was found yet. */
  Rpc.make("LeftPositions", { success: Schema.Array(LeftPosition) }),
  change("Credit", Credit, ledgerRefusals.Credit),
  /**
   * Decided only after all committed rows of the user's markets are applied. Refused while the venue does not trade.
   */
  change("Transfer", Transfer, ledgerRefusals.Transfer, MarketsBehind, VenueCancelOnly, VenueHalted),
  /** Decided only after all committed rows of the user's markets are applied. Refused while withdrawals are blocked. */
  change("Withdraw", Withdraw, ledgerRefusals.Withdraw, MarketsBehind, WithdrawalsBlocked),
  change("ReturnWithdrawal", ReturnWithdrawal, ledgerRefusals.ReturnWithdrawal),
  change("Deposit", Deposit, ledgerRefusals.Deposit),
  change("ReverseDeposit", ReverseDeposit, ledgerRefusals.ReverseDeposit),
  change("SetLeverage", SetLeverage, ledgerRefusals.SetLeverage),
  change("OpenAccount", OpenAccount, ledgerRefusals.OpenAccount),
  change("RedeemCode", RedeemCode, ledgerRefusals.RedeemCode),
  /** Returns once the day is credited, by this call or an earlier one. */
  Rpc.make("CreditReferrals", {
    payload: { userId: UserId, day: Schema.Number, amount: Schema.BigInt },
    error: Schema.Union([Unavailable, RateLimited])
  }),
  /** Returns once the user's journal records that the user owns the code. */
  Rpc.make("RegisterBuilder", { payload: { builderCode: Schema.String, ownerId: UserId }, error: Unavailable }),
  /** Returns once the user has joined every market and each market has recorded the builder code. */
  Rpc.make("AppointBuilder", { payload: BuilderCode, error: Unavailable }),
  /** Returns once the user has joined the markets and the appointment is in the journal. */
  change("AppointProvider", AppointProvider, ledgerRefusals.AppointProvider),
  Rpc.make("Providers", { success: Schema.Array(ProviderLimit) }),
  change("Arm", Arm, ledgerRefusals.Arm),
  change("SetDeadManSwitch", SetDeadManSwitch, ledgerRefusals.SetDeadManSwitch),
  /** Registers a gateway's connection, or refuses it if the user has reached the connection limit. */
  Rpc.make("Attach", {
    payload: { ...speaker, connectionId: Schema.String, ...account },
    error: Schema.Union([Unavailable, TooManyConnections])
  }),
  /** Reports that a connection has closed. If it was armed, its orders are cancelled. */
  Rpc.make("Detach", { payload: { ...speaker, ...SeenConnection.fields }, error: Unavailable }),
  /** Renews the leases of a gateway's connections. An armed connection counts as closed when its lease expires. */
  Rpc.make("Renew", {
    payload: {
      ...speaker,
      connections: Schema.Array(RenewedConnection),
      /** Whether the list contains all of the gateway's connections at this desk. */
      areAll: Schema.optionalKey(Schema.Boolean),
      /** Rows that the gateway has published. Summaries without these rows are omitted. */
      heads: Schema.optionalKey(Schema.Array(Head))
    },
    success: Schema.Struct({
      /** Summaries of the wanted accounts, in the order of the request. */
      summaries: Schema.Array(AccountSummary),
      /** Connections that the gateway considers armed although their lease at this desk has expired. */
      ended: Schema.Array(Schema.String),
      /** Whether the desk was restarted and needs the full list of the gateway's connections. */
      wantsAll: Schema.optionalKey(Schema.Boolean)
    }),
    error: Unavailable
  }),
  /** Charges a weight to a REST bucket. The response encodes the wait or the remaining quota; see `RestCharge.ts`. */
  Rpc.make("SpendRest", {
    payload: {
      userId: UserId,
      bucket: RestBucket,
      weight: Schema.Number,
      wantsRemaining: Schema.optionalKey(Schema.Boolean)
    },
    success: Schema.Number
  }),
  /**
   * Charges a message that the gateway handled itself. Returns 0, or charges nothing and returns the milliseconds to
   * wait.
   */
  Rpc.make("SpendMessages", { payload: { userId: UserId, cost: Cost }, success: Schema.Number }),
  /** Reports that a gateway is stopping. `connections` lists all connections that might be armed. */
  Rpc.make("Leave", { payload: { ...speaker, connections: Schema.Array(SeenConnection) }, error: Unavailable }),
  Rpc.make("Wake")
])
  .annotate(ClusterSchema.ClientTracingEnabled, false)
  .annotate(ClusterSchema.ShardGroup, () => deskGroup)

/** Returns the id of a user's desk: the FNV-1a hash of the user id modulo the number of desks. */
export const deskOf = (userId: UserId, desks: number): string => {
  let hash = 0x811c9dc5
  for (let i = 0; i < userId.length; i++) hash = Math.imul(hash ^ userId.charCodeAt(i), 0x01000193)
  return String((hash >>> 0) % desks)
}
