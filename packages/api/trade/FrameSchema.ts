/** Every frame of the trade socket as it travels: the contract that `Frame.ts` prints by hand. */
import { ExecutionType } from "@venue/domain/Execution"
import { OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { OrderRefusal } from "@venue/domain/Reject"
import { TwapStatus } from "@venue/domain/Twap"
import { Schema, Struct } from "effect"
import { BalanceParts } from "../Balance.ts"
import { ErrorResponse, IncomingMessage } from "../ErrorFrame.ts"
import * as Member from "../Member.ts"
import { PreviewParts } from "../OrderPreview.ts"
import { Channel } from "./CommandSchema.ts"

/** What may be told of an order that was accepted. */
export const OrderStatus = Schema.Literals([
  "ACK",
  "FILLED",
  "MODIFIED",
  "CANCELLED",
  "CANCELLED_STP",
  "IOC_CANCELLED",
  "IOC_PARTIALLY_FILLED"
])
export type OrderStatus = typeof OrderStatus.Type

const status = Schema.Union([OrderStatus, OrderRefusal]).annotate({
  description: "What became of it, or why it was refused."
})
const clientOrderId = Member.text("As the client gave it; empty when it gave none")
const userId = Member.uuid("The account that it is about; of a primary account, the user's id")
const takeProfit = Member.price("The take-profit that comes with it, 0 for none")
const stopLoss = Member.price("The stop-loss that comes with it, 0 for none")

export const OrderResponse = Schema.Struct({
  order_id: Member.text("Empty on a refusal: no order came to be, unless the command named one"),
  symbol: Member.symbol,
  status,
  quantity: Member.quantity("The total that was asked for"),
  price: Member.price("Its limit, 0 for MARKET; of a stop, what the mark has to reach"),
  take_profit: takeProfit,
  stop_loss: stopLoss,
  side: Schema.optionalKey(Side.annotate({ description: "Absent where a cancel found nothing." })),
  type: Schema.optionalKey(OrderType.annotate({ description: "Absent where a cancel found nothing." })),
  time_in_force: Schema.optionalKey(TimeInForce.annotate({ description: "Absent where a cancel found nothing." })),
  user_id: userId,
  client_order_id: clientOrderId,
  quantity_remaining: Member.quantity("What is not filled"),
  update_time: Member.unixSeconds("When it became so"),
  trade_id: Schema.NullOr(Member.uuid("Of the fill that a FILLED tells of")),
  reduce_only: Schema.optionalKey(Member.truth("It may only reduce a position; absent on refusals"))
}).annotate({ identifier: "OrderResponse" })
export type OrderResponse = typeof OrderResponse.Type

export const UserTrade = Schema.Struct({
  trade_id: Member.uuid("The same on both sides of the trade"),
  symbol: Member.symbol,
  price: Member.price("It was traded at"),
  quantity: Member.quantity("Of this fill"),
  side: Side.annotate({ description: "The account's own." }),
  aggressor_side: Side.annotate({
    description: "That of the incoming order: where it is the own one, this is the taker."
  }),
  order_id: Member.uuid("Of the order that was filled"),
  client_order_id: clientOrderId,
  fee: Member.usd("What was paid for it"),
  order_type: OrderType,
  tif: TimeInForce.annotate({ description: "The order's time in force." }),
  execution_type: ExecutionType.annotate({ description: "NEW, unless the venue made it." }),
  realised_pnl: Member.usd("What it realised, fees aside"),
  timestamp: Member.unixSeconds("When it was traded")
}).annotate({ identifier: "UserTrade" })
export type UserTrade = typeof UserTrade.Type

/** One side of a trade, told to its owner right before the `FILLED` of the order. */
export const FillResponse = Schema.Struct({
  ...UserTrade.fields,
  user_id: userId,
  order_price: Member.price("The order's own, 0 for MARKET"),
  remaining_quantity: Member.quantity("What of the order is not filled"),
  take_profit: takeProfit,
  stop_loss: stopLoss
}).annotate({ identifier: "FillResponse" })
export type FillResponse = typeof FillResponse.Type

/** Told on `stop_orders` beside the order response of the same event. */
export const StopOrderResponse = Schema.Struct({
  stop_order_id: Member.uuid("Of the stop, and of the order that it becomes"),
  user_id: userId,
  symbol: Member.symbol,
  price: Member.price("What the mark has to reach"),
  quantity: Member.quantity("0 once the stop is over"),
  direction: Side.annotate({ description: "The side of the order that it becomes." }),
  stop_order_type: Schema.Literals(["TAKE_PROFIT", "STOP_LOSS"]),
  client_order_id: clientOrderId,
  /** Unlike every other time of this socket. */
  update_time: Member.instant("When it became so")
}).annotate({ identifier: "StopOrderResponse" })
export type StopOrderResponse = typeof StopOrderResponse.Type

const MarginRates = {
  initial_margin: Member.fraction("The rate at this leverage, of the notional"),
  maintenance_margin: Member.fraction("The rate at this leverage, of the notional")
}

export const PositionResponse = Schema.Struct({
  id: Member.uuid("The same for the same account and symbol"),
  symbol: Member.symbol,
  position: Member.quantity("Negative when short, 0 once when it was closed"),
  margin_alloc: Member.usd("Margin held for it"),
  realised_pnl: Member.usd("What its fills realised"),
  unrealised_pnl: Member.usd("What closing it at the mark would realise"),
  net_funding: Member.usd("Funding received less funding paid"),
  open_orders: Member.count("Open orders of the symbol"),
  open_quantity: Member.quantity("What of the open orders is not filled"),
  leverage: Member.leverage("The level of the account"),
  ...MarginRates,
  average_price: Member.price("At which it was entered, 0 for none")
}).annotate({ identifier: "PositionResponse" })
export type PositionResponse = typeof PositionResponse.Type

export const BalanceResponse = Schema.Struct({
  id: Member.uuid("The same as user_id"),
  user_id: userId,
  ...BalanceParts,
  referral_rewards: Member.usd("Rewards for referrals"),
  fees: Member.usd("Fees paid")
}).annotate({ identifier: "BalanceResponse" })
export type BalanceResponse = typeof BalanceResponse.Type

export const LeverageLevel = Schema.Struct({
  id: Member.uuid("The same for the same row"),
  symbol: Member.symbol,
  ...MarginRates,
  max_notional: Member.usd("The largest position at this leverage"),
  /** The one number that is written as a string. */
  leverage: Member.text("A whole number as text, as a multiple of the margin")
}).annotate({ identifier: "LeverageLevel" })
export type LeverageLevel = typeof LeverageLevel.Type

export const TwapResponse = Schema.Struct({
  twap_id: Member.uuid("Of the TWAP"),
  client_twap_id: Schema.NullOr(Member.text("As the client gave it")),
  user_id: userId,
  status: TwapStatus,
  symbol: Member.symbol,
  total_quantity: Member.quantity("The total that was asked for"),
  filled_quantity: Member.quantity("What is filled"),
  average_fill_price: Member.price("At which it is filled, 0 while nothing is"),
  total_num_orders: Member.count("Orders it is cut into"),
  filled_num_orders: Member.count("Orders that filled something"),
  order_interval_secs: Member.count("Seconds from one order to the next"),
  reduce_only: Member.truth("It may only reduce a position"),
  side: Side,
  worst_price: Member.price("No order fills at a worse one; 0 for none"),
  start_time: Member.unixSeconds("No order comes before it"),
  created_at: Member.unixSeconds("When it was accepted"),
  updated_at: Member.unixSeconds("When it became so")
}).annotate({ identifier: "TwapResponse" })
export type TwapResponse = typeof TwapResponse.Type

export const AllOrders = Schema.Struct({
  orders: Schema.Array(OrderResponse).annotate({ description: "Open orders and stops, newest first." }),
  twaps: Schema.Array(TwapResponse).annotate({ description: "Those that have not ended." })
}).annotate({ identifier: "AllOrders" })
export type AllOrders = typeof AllOrders.Type

export const CancelAllAfterResponse = Schema.Struct({
  timeout_secs: Member.count("The seconds that were asked for; 0 switches it off"),
  cancel_at: Schema.NullOr(Member.unixSeconds("Orders are cancelled then, unless it is renewed; null where it is off"))
}).annotate({ identifier: "CancelAllAfterResponse" })
export type CancelAllAfterResponse = typeof CancelAllAfterResponse.Type

/** What an order would come to: nothing of it was placed. */
export const PreviewResponse = Schema.Struct(PreviewParts).annotate({ identifier: "PreviewResponse" })
export type PreviewResponse = typeof PreviewResponse.Type

/** What stands under each key that a frame may have. */
export const Bodies = Schema.Struct({
  /** Frames of market data have a `type` too, and the form that they have on its own socket. */
  type: Schema.Literals(["auth", "market_stats", "funding", "subscribed", "unsubscribed"]),
  result: Schema.Literal("success"),
  authenticated: Schema.Literal(true),
  subscribed: Channel,
  unsubscribed: Channel,
  order_response: OrderResponse,
  fill_response: FillResponse,
  stop_order_response: StopOrderResponse,
  twap_response: TwapResponse,
  position_response: PositionResponse,
  balance_response: BalanceResponse,
  all_orders_response: AllOrders,
  get_orders_response: AllOrders,
  user_trades_response: Schema.Array(UserTrade),
  user_trades: Schema.Array(UserTrade),
  count: Member.count("Number of all rows that match, at most 10,000"),
  preview_response: PreviewResponse,
  user_leverage_response: Schema.Array(LeverageLevel),
  available_leverage_levels_response: Schema.Array(LeverageLevel),
  cancel_on_disconnect: Schema.Boolean,
  cancel_all_after_response: CancelAllAfterResponse,
  ack: Schema.Struct({ incoming_message: Schema.optionalKey(IncomingMessage) }),
  ack_response: Schema.Literal(true),
  err: ErrorResponse
})

/** Any frame. Most have one key; answers that sources know under two names have both. */
export const Frame = Bodies.mapFields(Struct.map(Schema.optionalKey))
export type Frame = typeof Frame.Type

/** The frames by a key that they are sure to have. */
export type Frames = { readonly [Key in keyof typeof Bodies.Type]: Frame & Pick<typeof Bodies.Type, Key> }
