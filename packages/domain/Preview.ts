/** What an order would come to if it were placed now: its desk asks its ledger and then its market, and nothing is recorded. */
import { Schema } from "effect"
import { FeeShare } from "./FeeShare.ts"
import { Close, Place, Refuse } from "./Market.ts"
import { ClosePosition, EndStatus, OrderType, PlaceOrder, Side, TimeInForce } from "./Order.ts"
import { OrderRefusal } from "./Reject.ts"

export const PreviewRequest = Schema.Union([PlaceOrder, ClosePosition])
export type PreviewRequest = typeof PreviewRequest.Type

/** What the desk would send to the market for it. */
export const PreviewCommand = Schema.Union([Place, Close, Refuse])
export type PreviewCommand = typeof PreviewCommand.Type

/** What is told last of an order that was accepted, as far as it comes at once. */
export const PreviewStatus = Schema.Literals(["ACK", "MODIFIED", "FILLED", ...EndStatus.literals])
export type PreviewStatus = typeof PreviewStatus.Type

/** What the fills of an order would come to together; all is 0 where it would have none. */
export const PreviewFills = Schema.Struct({
  quantityLots: Schema.Number,
  notional: Schema.Number,
  fee: Schema.Number,
  /** So much of the fee is the builder's, and the reserve fund's; the venue has the rest (rule 12.3). */
  reward: Schema.Number,
  remainder: Schema.Number,
  realised: Schema.Number
})
export type PreviewFills = typeof PreviewFills.Type

/** What a market says. Prices are in ticks, quantities in lots, money in 1e-6 USD. */
export const MarketPreview = Schema.Struct({
  /** The first one that the order would meet; `null` where it would be accepted. */
  refusal: Schema.NullOr(OrderRefusal),
  /** `null` where it would be refused. */
  status: Schema.NullOr(PreviewStatus),
  /** The order as its market would have it; `null` where it would be refused before there is one. */
  order: Schema.NullOr(
    Schema.Struct({
      side: Side,
      type: OrderType,
      timeInForce: TimeInForce,
      /** 0 for MARKET. */
      priceTicks: Schema.Number,
      quantityLots: Schema.Number,
      reduceOnly: Schema.Boolean,
      /** It fills no worse than this; 0 for a stop, whose bound is that of the mark when it fires (rule 15.5). */
      worstTicks: Schema.Number
    })
  ),
  fills: PreviewFills,
  /** So much would rest. */
  restingLots: Schema.Number,
  /** How its fees are divided; `null` where it carries no builder code that the market knows. */
  share: Schema.NullOr(Schema.Struct(FeeShare.fields)),
  /** In force now; `null` before the first. */
  prices: Schema.NullOr(
    Schema.Struct({
      markE8: Schema.Number,
      /** The bounds of the day and the band. */
      minPriceTicks: Schema.Number,
      maxPriceTicks: Schema.Number,
      lowerTicks: Schema.Number,
      upperTicks: Schema.Number
    })
  )
})
export type MarketPreview = typeof MarketPreview.Type

/** What a trader says of an order beside what it would send. Money is in 1e-6 USD. */
export const TraderPreview = Schema.Struct({
  leverage: Schema.Number,
  makerRate: Schema.Number,
  takerRate: Schema.Number,
  /** Without the order. */
  available: Schema.BigInt,
  /** So much would be held for the order, on top of what is held; `null` where that cannot be said, as without a price. */
  margin: Schema.NullOr(Schema.BigInt),
  /** The taker's fee on all of it at the price it is held at, which has to be available too (rule 7.6). */
  wholeFee: Schema.NullOr(Schema.Number)
})
export type TraderPreview = typeof TraderPreview.Type

/** Of a symbol that is listed. */
export const Preview = Schema.Struct({ trader: TraderPreview, market: MarketPreview })
export type Preview = typeof Preview.Type
