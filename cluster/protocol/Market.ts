/** Messages to a market entity. */
import { AccountId } from "@venue/domain/AccountId"
import { MarketAlarm } from "@venue/domain/Alarm"
import { FeeShare } from "@venue/domain/FeeShare"
import { Stand } from "@venue/domain/Liquidation"
import { PriceOrigin, TraderCommand } from "@venue/domain/Market"
import { Limits } from "@venue/domain/Limits"
import { MarketPreview, PreviewCommand } from "@venue/domain/Preview"
import { Order, Side } from "@venue/domain/Order"
import { PositionState } from "@venue/domain/Position"
import { Sampling } from "@venue/domain/Sampling"
import { Twap } from "@venue/domain/Twap"
import { UserId } from "@venue/domain/UserId"
import { OpenState, TradingState } from "@venue/domain/TradingState"
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

/** Shard group for markets. */
export const marketGroup = "market"

/** The call failed, and the change might have been made. A retry with the same id returns the change's outcome. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { what: Schema.String }) {}

/** A stored log row or, if `events` is empty, a heartbeat with only the head. */
export const Watched = Schema.Struct({
  epoch: Schema.Number,
  seq: Schema.Number,
  events: Schema.Uint8Array,
  levels: Schema.Array(Schema.Struct({ side: Side, priceTicks: Schema.Number, quantityLots: Schema.Number }))
})
export type Watched = typeof Watched.Type

/** A builder code, its owner and its shares. */
export const BuilderCode = { ...FeeShare.fields, builderCode: Schema.String, ownerId: UserId }

const At = {
  epoch: Schema.Number,
  seq: Schema.Number
}

/** A trader that requests a view. The request raises its epoch in the market, which fences older owners. */
export const Viewer = Schema.Struct({
  userId: UserId,
  traderEpoch: Schema.Number,
  accountIds: Schema.Array(AccountId)
})
export type Viewer = typeof Viewer.Type

/** Maximum number of traders in one view. */
export const maxViewers = 256

/** State of one user's accounts in a market. */
export const TraderView = Schema.Struct({
  accounts: Schema.Array(
    Schema.Struct({
      accountId: AccountId,
      position: PositionState,
      /** Whether a takeover of the position is open. */
      isFrozen: Schema.Boolean,
      orders: Schema.Array(Order),
      stops: Schema.Array(Order),
      /** Ids of the stops that were attached to an order; omitted by older releases. */
      attachedStops: Schema.optionalKey(Schema.Array(Schema.String)),
      /** TWAPs that have not ended. */
      twaps: Schema.Array(Twap)
    })
  ),
  /** Ids of commands whose outcome the market still remembers. */
  recorded: Schema.Array(Schema.String)
})
export type TraderView = typeof TraderView.Type

/** Views as of (epoch, seq), in request order. The last ones are omitted if the response would be too large. */
export const TraderViews = Schema.Struct({ ...At, traders: Schema.Array(TraderView) })
export type TraderViews = typeof TraderViews.Type

/**
 * A market's state as of (epoch, seq), with which a watch begins. `lastDividendDay` and `lastSplitDay` are days since
 * 1970-01-01, or 0 before the first. `prices` is `null` before the first price. `sampling` contains the hour's
 * premium samples.
 */
export const DepthAt = Schema.Struct({
  ...At,
  levels: Schema.Array(Schema.Struct({ side: Side, priceTicks: Schema.Number, quantityLots: Schema.Number })),
  tradingState: TradingState,
  lastDividendDay: Schema.Number,
  limits: Limits,
  lastSplitDay: Schema.Number,
  lastSplitMillis: Schema.optionalKey(Schema.Number),
  sampling: Schema.optionalKey(Sampling),
  /** Open takeovers, with signed lots; omitted by older releases. */
  takeovers: Schema.optionalKey(
    Schema.Array(Schema.Struct({ takeoverId: Schema.String, quantityLots: Schema.Number }))
  ),
  /** Address (`host:port`) of the node that owns the market, if it accepts direct calls. */
  node: Schema.optionalKey(Schema.String),
  prices: Schema.NullOr(
    Schema.TaggedStruct("Priced", {
      source: Schema.Literals(["external", "internal", "operator", "stale"]),
      oracleE8: Schema.Number,
      toldE8: Schema.Number,
      toldAtMillis: Schema.Number,
      rejections: Schema.Number,
      paused: Schema.Boolean,
      markE8: Schema.Number,
      freshMarkE8: Schema.Number,
      premiumE8: Schema.Number,
      lowerTicks: Schema.Number,
      upperTicks: Schema.Number,
      minPriceTicks: Schema.Number,
      maxPriceTicks: Schema.Number,
      limitShareBps: Schema.Number,
      bidTicks: Schema.Number,
      askTicks: Schema.Number,
      openInterestLots: Schema.Number,
      atMillis: Schema.Number
    })
  )
})
export type DepthAt = typeof DepthAt.Type

/** Sums over all accounts and the market itself; `positions` in lots and `cash` in 1e-6 USD must both be 0. */
export const Totals = Schema.Struct({
  ...At,
  positions: Schema.Number,
  cash: Schema.Number,
  /** The market's reserve fund in 1e-6 USD, and the amount that the operator has added to it. */
  reserveFund: Schema.Number,
  toppedUp: Schema.Number
})
export type Totals = typeof Totals.Type

export const Market = Entity.make("Market", [
  /** Returns once the decisions on all commands are committed; the outcomes are in the market's log. */
  Rpc.make("Submit", { payload: { commands: Schema.Array(TraderCommand) }, error: Unavailable }),
  Rpc.make("Watch", { success: Watched, error: Unavailable, stream: true }).annotate(
    ClusterSchema.InterruptOnTermination,
    true
  ),
  /**
   * Sends stands, which state what a desk's accounts can take over. Only the memory of the market's owner holds them.
   */
  Rpc.make("Stand", { payload: { stands: Schema.Array(Stand) } }),
  Rpc.make("View", {
    payload: { traders: Schema.Array(Viewer).check(Schema.isMaxLength(maxViewers)) },
    success: TraderViews,
    error: Unavailable
  }),
  /** Returns the outcome that an order would have after all earlier decisions, committed or not. */
  Rpc.make("Preview", { payload: { command: PreviewCommand }, success: MarketPreview, error: Unavailable }),
  Rpc.make("Depth", { success: DepthAt, error: Unavailable }),
  /** Makes the tables for queries reach row `seq` without a burst's usual delay, because a reader is waiting for it. */
  Rpc.make("CatchUp", { payload: { seq: Schema.Number } }),
  /** Returns the alarms that an operator has to resolve. */
  Rpc.make("Alarms", { success: Schema.Array(MarketAlarm), error: Unavailable }),
  Rpc.make("Totals", { success: Totals, error: Unavailable }),
  /** Returns once the dividend is recorded, by this call or an earlier one. */
  Rpc.make("PayDividend", {
    payload: { exDay: Schema.Number, perUnitE8: Schema.Number },
    error: Unavailable
  }),
  /**
   * Returns once the top-up is recorded, by this call or an earlier one, with the amount recorded under the id.
   * Returns `null` if nothing was added, because the amount is not positive or the fund would exceed 2^53 − 1.
   */
  Rpc.make("TopUpFund", {
    payload: { topUpId: Schema.String, amount: Schema.Number, reason: Schema.String },
    success: Schema.NullOr(Schema.Number),
    error: Unavailable
  }),
  /** Returns once the state is recorded, or if the market already has this state. */
  Rpc.make("SetTradingState", { payload: { state: OpenState }, error: Unavailable }),
  /**
   * Returns the split's progress. If `isDone` is false, either a repeated call must cancel remaining orders, or the
   * reserve fund lacks `missing`, in 1e-6 USD. `missing` is `null` unless the market is halted and could trade at the
   * new price.
   */
  Rpc.make("SplitContract", {
    payload: { exDay: Schema.Number, numerator: Schema.Number, denominator: Schema.Number },
    success: Schema.Struct({ isDone: Schema.Boolean, missing: Schema.NullOr(Schema.Number) }),
    error: Unavailable
  }),
  /** Cancels all orders. If `isDone` is false, a repeated call must cancel the remaining ones. */
  Rpc.make("CancelOrders", { success: Schema.Struct({ isDone: Schema.Boolean }), error: Unavailable }),
  /** Returns once the limits are recorded, or if they already apply. */
  Rpc.make("SetLimits", { payload: Limits.fields, error: Unavailable }),
  /** Returns once the settlement's start is recorded, by this or an earlier call. A trading market ignores the call. */
  Rpc.make("Delist", { error: Unavailable }),
  /** Sends an external price of the underlier, in 1e-8 USD. Returns once the price is recorded. */
  Rpc.make("Observe", {
    payload: { priceE8: Schema.Number, teller: PriceOrigin, quotedAtMillis: Schema.optionalKey(Schema.Number) },
    error: Unavailable
  }),
  /** Returns once the builder code is recorded, by this call or an earlier one. */
  Rpc.make("IntroduceBuilder", { payload: BuilderCode, error: Unavailable }),
  Rpc.make("PauseSources", { payload: { paused: Schema.Boolean }, error: Unavailable })
])
  .annotate(ClusterSchema.ClientTracingEnabled, false)
  .annotate(ClusterSchema.ShardGroup, () => marketGroup)
