/** Preview of an order, computed by desk and market as if it were placed now; nothing is recorded (rule 4.19). */
import { Schema } from "effect"
import { FeeShare } from "./FeeShare.ts"
import { Close, Place, Refuse } from "./Market.ts"
import { ClosePosition, EndStatus, OrderType, PlaceOrder, Side, TimeInForce } from "./Order.ts"
import { OrderRefusal } from "./Reject.ts"

/** Request that can be previewed. */
export const PreviewRequest = Schema.Union([PlaceOrder, ClosePosition])
export type PreviewRequest = typeof PreviewRequest.Type

/** Command that the desk would send to the market. */
export const PreviewCommand = Schema.Union([Place, Close, Refuse])
export type PreviewCommand = typeof PreviewCommand.Type

/** Last status that an accepted order would receive in the immediate response. */
export const PreviewStatus = Schema.Literals(["ACK", "MODIFIED", "FILLED", ...EndStatus.literals])
export type PreviewStatus = typeof PreviewStatus.Type

/** Totals of the order's immediate fills; all 0 without a fill. Money in 1e-6 USD. */
export const PreviewFills = Schema.Struct({
  quantityLots: Schema.Number,
  notional: Schema.Number,
  fee: Schema.Number,
  /**
   * `reward` is the builder's part of the fee and `remainder` the reserve fund's. The venue's part is the fee less
   * both (rule 12.3).
   */
  reward: Schema.Number,
  remainder: Schema.Number,
  realised: Schema.Number
})
export type PreviewFills = typeof PreviewFills.Type

/** The market's part of a preview. Prices in ticks, quantities in lots, money in 1e-6 USD. */
export const MarketPreview = Schema.Struct({
  /** First refusal that the order would receive; null if the order would be accepted. */
  refusal: Schema.NullOr(OrderRefusal),
  /** Last status; null if the order would be refused. */
  status: Schema.NullOr(PreviewStatus),
  /** Order as the market would accept it; null if it would be refused before an order exists. */
  order: Schema.NullOr(
    Schema.Struct({
      side: Side,
      type: OrderType,
      timeInForce: TimeInForce,
      /** Price; 0 for MARKET. */
      priceTicks: Schema.Number,
      quantityLots: Schema.Number,
      reduceOnly: Schema.Boolean,
      /** Worst price of a fill; 0 for a stop, whose bound depends on the mark when it fires (rule 15.5). */
      worstTicks: Schema.Number
    })
  ),
  fills: PreviewFills,
  /** Quantity that would rest on the book. */
  restingLots: Schema.Number,
  /** Division of the fees; null without a builder code that the market knows. */
  share: Schema.NullOr(Schema.Struct(FeeShare.fields)),
  /** Current prices; null before the first price. */
  prices: Schema.NullOr(
    Schema.Struct({
      markE8: Schema.Number,
      /** Bounds of the day (rule 1.6) and edges of the band (rule 5.1). */
      minPriceTicks: Schema.Number,
      maxPriceTicks: Schema.Number,
      lowerTicks: Schema.Number,
      upperTicks: Schema.Number
    })
  )
})
export type MarketPreview = typeof MarketPreview.Type

/** The ledger's part of a preview. Money in 1e-6 USD. */
export const TraderPreview = Schema.Struct({
  leverage: Schema.Number,
  makerRate: Schema.Number,
  takerRate: Schema.Number,
  /** Available balance without the order. */
  available: Schema.BigInt,
  /** Margin that the order would hold in addition; null if it cannot be computed, for example without a price. */
  margin: Schema.NullOr(Schema.BigInt),
  /**
   * Taker fee on the whole order at the price used for its hold. This fee must be available in addition to the margin
   * (rule 7.6).
   */
  wholeFee: Schema.NullOr(Schema.Number)
})
export type TraderPreview = typeof TraderPreview.Type

/** Preview of an order for a listed symbol. */
export const Preview = Schema.Struct({ trader: TraderPreview, market: MarketPreview })
export type Preview = typeof Preview.Type
