/** What may be asked of the entity that is one market. */
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

/** The shards that markets live on. */
export const marketGroup = "market"

/** Nobody could record it now. Asked for a change, it may or may not have happened: a repeat of the same id tells. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { what: Schema.String }) {}

/** A row of the log as it was written, or the head alone when `events` is empty. */
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

/** Whose accounts a view is of; it raises the epoch of the user's trader to this one. */
export const Viewer = Schema.Struct({
  userId: UserId,
  traderEpoch: Schema.Number,
  accountIds: Schema.Array(AccountId)
})
export type Viewer = typeof Viewer.Type

/** One view is of so many at most. */
export const maxViewers = 256

/** What the log holds of one user's accounts. */
export const TraderView = Schema.Struct({
  accounts: Schema.Array(
    Schema.Struct({
      accountId: AccountId,
      position: PositionState,
      /** A takeover of the position is open. */
      isFrozen: Schema.Boolean,
      orders: Schema.Array(Order),
      stops: Schema.Array(Order),
      /** Ids of the stops that came with an order; a node of an older version leaves it out. */
      attachedStops: Schema.optionalKey(Schema.Array(Schema.String)),
      /** Those that have not ended, with how far they have come. */
      twaps: Schema.Array(Twap)
    })
  ),
  /** Commands whose outcome is still remembered. */
  recorded: Schema.Array(Schema.String)
})
export type TraderView = typeof TraderView.Type

/** All as of (epoch, seq), in the order they were asked for; the last are left out when there is too much for one answer. */
export const TraderViews = Schema.Struct({ ...At, traders: Schema.Array(TraderView) })
export type TraderViews = typeof TraderViews.Type

/**
 * All levels as of (epoch, seq), what is let in, the day of the last dividend, and that of the last split, in days since 1970-01-01, 0 before the first,
 * when that was, the prices in force, `null` before the first, and the samples of the premium in this hour.
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
  /** The open takeovers, with signed lots; a node of an older version leaves them out. */
  takeovers: Schema.optionalKey(
    Schema.Array(Schema.Struct({ takeoverId: Schema.String, quantityLots: Schema.Number }))
  ),
  /** The node that has the market, where it can be asked directly: `host:port`. */
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

/** Sums over all participants: positions, in lots, and cash, with fees, funding and what the market itself has gained in it, are zero. */
export const Totals = Schema.Struct({
  ...At,
  positions: Schema.Number,
  cash: Schema.Number,
  /** So much is the market's own, in 1e-6 USD, and the operator has put in so much of it so far. */
  reserveFund: Schema.Number,
  toppedUp: Schema.Number
})
export type Totals = typeof Totals.Type

export const Market = Entity.make("Market", [
  /** Answers once everything asked is committed; outcomes travel by the log. */
  Rpc.make("Submit", { payload: { commands: Schema.Array(TraderCommand) }, error: Unavailable }),
  Rpc.make("Watch", { success: Watched, error: Unavailable, stream: true }).annotate(
    ClusterSchema.InterruptOnTermination,
    true
  ),
  /** What accounts of one desk can do for the takeovers that are open. Heard by whoever owns the market now, and recorded nowhere. */
  Rpc.make("Stand", { payload: { stands: Schema.Array(Stand) } }),
  Rpc.make("View", {
    payload: { traders: Schema.Array(Viewer).check(Schema.isMaxLength(maxViewers)) },
    success: TraderViews,
    error: Unavailable
  }),
  /** What an order would come to, as the log has it and what is on its way there. */
  Rpc.make("Preview", { payload: { command: PreviewCommand }, success: MarketPreview, error: Unavailable }),
  Rpc.make("Depth", { success: DepthAt, error: Unavailable }),
  /** Somebody waits until the tables have the log up to here, so they do not stand back in a burst. */
  Rpc.make("CatchUp", { payload: { seq: Schema.Number } }),
  /** Answers with what an operator has to see to. */
  Rpc.make("Alarms", { success: Schema.Array(MarketAlarm), error: Unavailable }),
  Rpc.make("Totals", { success: Totals, error: Unavailable }),
  /** Answers once it is recorded, or was paid before. */
  Rpc.make("PayDividend", {
    payload: { exDay: Schema.Number, perUnitE8: Schema.Number },
    error: Unavailable
  }),
  /**
   * Answers once it is recorded, or was before, with the amount that counts under that id; `null` where nothing was put in,
   * since the fund could not count it.
   */
  Rpc.make("TopUpFund", {
    payload: { topUpId: Schema.String, amount: Schema.Number, reason: Schema.String },
    success: Schema.NullOr(Schema.Number),
    error: Unavailable
  }),
  /** Answers once the state is recorded, or was in force already. */
  Rpc.make("SetTradingState", { payload: { state: OpenState }, error: Unavailable }),
  /**
   * Answers with how far it came: some orders may be left, to be ended by the same again, or the reserve fund may lack so much.
   * `null` where the market is not halted, or could not trade at the new price.
   */
  Rpc.make("SplitContract", {
    payload: { exDay: Schema.Number, numerator: Schema.Number, denominator: Schema.Number },
    success: Schema.Struct({ isDone: Schema.Boolean, missing: Schema.NullOr(Schema.Number) }),
    error: Unavailable
  }),
  /** Answers once they are recorded, or were in force already. */
  Rpc.make("SetLimits", { payload: Limits.fields, error: Unavailable }),
  /** Answers once the settlement is recorded to have begun, or had before; a market that trades is left alone. */
  Rpc.make("Delist", { error: Unavailable }),
  /** The outside price of the underlier, in 1e-8 USD. */
  Rpc.make("Observe", {
    payload: { priceE8: Schema.Number, teller: PriceOrigin, quotedAtMillis: Schema.optionalKey(Schema.Number) },
    error: Unavailable
  }),
  /** Answers once the market knows this builder code, or knew it before. */
  Rpc.make("IntroduceBuilder", { payload: BuilderCode, error: Unavailable }),
  Rpc.make("PauseSources", { payload: { paused: Schema.Boolean }, error: Unavailable })
])
  .annotate(ClusterSchema.ClientTracingEnabled, false)
  .annotate(ClusterSchema.ShardGroup, () => marketGroup)
