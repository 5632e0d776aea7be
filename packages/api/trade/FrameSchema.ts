/** Every frame of the trade socket as it travels: the contract that `Frame.ts` prints by hand. */
import { ExecutionType } from "@venue/domain/Execution"
import { OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { OrderRefusal } from "@venue/domain/Reject"
import { TwapStatus } from "@venue/domain/Twap"
import { Schema, Struct } from "effect"
import { BalanceParts } from "../Balance.ts"
import { ErrorResponse, IncomingMessage } from "../ErrorFrame.ts"
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

/** Unix seconds with a fraction. */
const Seconds = Schema.Finite

/** The empty order id of a refusal says that no order came to be, unless the command named one. */
export const OrderResponse = Schema.Struct({
  order_id: Schema.String,
  symbol: Schema.String,
  status: Schema.Union([OrderStatus, OrderRefusal]),
  quantity: Schema.Finite,
  price: Schema.Finite,
  take_profit: Schema.Finite,
  stop_loss: Schema.Finite,
  /** This and the next two are absent where a cancel found nothing. */
  side: Schema.optionalKey(Side),
  type: Schema.optionalKey(OrderType),
  time_in_force: Schema.optionalKey(TimeInForce),
  user_id: Schema.String,
  client_order_id: Schema.String,
  quantity_remaining: Schema.Finite,
  update_time: Seconds,
  trade_id: Schema.NullOr(Schema.String),
  /** Absent on refusals. */
  reduce_only: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "OrderResponse" })
export type OrderResponse = typeof OrderResponse.Type

export const UserTrade = Schema.Struct({
  trade_id: Schema.String,
  symbol: Schema.String,
  price: Schema.Finite,
  quantity: Schema.Finite,
  side: Side,
  aggressor_side: Side,
  order_id: Schema.String,
  client_order_id: Schema.String,
  fee: Schema.Finite,
  order_type: OrderType,
  tif: TimeInForce,
  execution_type: ExecutionType,
  realised_pnl: Schema.Finite,
  timestamp: Seconds
}).annotate({ identifier: "UserTrade" })
export type UserTrade = typeof UserTrade.Type

/** One side of a trade, told to its owner right before the `FILLED` of the order. */
export const FillResponse = Schema.Struct({
  ...UserTrade.fields,
  user_id: Schema.String,
  order_price: Schema.Finite,
  remaining_quantity: Schema.Finite,
  take_profit: Schema.Finite,
  stop_loss: Schema.Finite
}).annotate({ identifier: "FillResponse" })
export type FillResponse = typeof FillResponse.Type

/** Told on `stop_orders` beside the order response of the same event; a stop that is over has the quantity 0. */
export const StopOrderResponse = Schema.Struct({
  stop_order_id: Schema.String,
  user_id: Schema.String,
  symbol: Schema.String,
  price: Schema.Finite,
  quantity: Schema.Finite,
  direction: Side,
  stop_order_type: Schema.Literals(["TAKE_PROFIT", "STOP_LOSS"]),
  client_order_id: Schema.String,
  /** ISO 8601, unlike every other time of this socket. */
  update_time: Schema.String
}).annotate({ identifier: "StopOrderResponse" })
export type StopOrderResponse = typeof StopOrderResponse.Type

/** Rates, not amounts. */
const MarginRates = { initial_margin: Schema.Finite, maintenance_margin: Schema.Finite }

export const PositionResponse = Schema.Struct({
  id: Schema.String,
  symbol: Schema.String,
  /** Signed; negative is short. */
  position: Schema.Finite,
  margin_alloc: Schema.Finite,
  realised_pnl: Schema.Finite,
  unrealised_pnl: Schema.Finite,
  net_funding: Schema.Finite,
  open_orders: Schema.Int,
  open_quantity: Schema.Finite,
  leverage: Schema.Finite,
  ...MarginRates,
  average_price: Schema.Finite
}).annotate({ identifier: "PositionResponse" })
export type PositionResponse = typeof PositionResponse.Type

export const BalanceResponse = Schema.Struct({
  id: Schema.String,
  user_id: Schema.String,
  ...BalanceParts,
  referral_rewards: Schema.Finite,
  fees: Schema.Finite
}).annotate({ identifier: "BalanceResponse" })
export type BalanceResponse = typeof BalanceResponse.Type

export const LeverageLevel = Schema.Struct({
  id: Schema.String,
  symbol: Schema.String,
  ...MarginRates,
  max_notional: Schema.Finite,
  /** The one number that is written as a string. */
  leverage: Schema.String
}).annotate({ identifier: "LeverageLevel" })
export type LeverageLevel = typeof LeverageLevel.Type

export const TwapResponse = Schema.Struct({
  twap_id: Schema.String,
  client_twap_id: Schema.NullOr(Schema.String),
  user_id: Schema.String,
  status: TwapStatus,
  symbol: Schema.String,
  total_quantity: Schema.Finite,
  filled_quantity: Schema.Finite,
  /** 0 while nothing is filled. */
  average_fill_price: Schema.Finite,
  total_num_orders: Schema.Int,
  /** So many orders filled something. */
  filled_num_orders: Schema.Int,
  order_interval_secs: Schema.Int,
  reduce_only: Schema.Boolean,
  side: Side,
  /** 0 for none. */
  worst_price: Schema.Finite,
  start_time: Seconds,
  created_at: Seconds,
  updated_at: Seconds
}).annotate({ identifier: "TwapResponse" })
export type TwapResponse = typeof TwapResponse.Type

export const AllOrders = Schema.Struct({
  orders: Schema.Array(OrderResponse),
  twaps: Schema.Array(TwapResponse)
}).annotate({ identifier: "AllOrders" })
export type AllOrders = typeof AllOrders.Type

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
  preview_response: PreviewResponse,
  user_leverage_response: Schema.Array(LeverageLevel),
  available_leverage_levels_response: Schema.Array(LeverageLevel),
  cancel_on_disconnect: Schema.Boolean,
  ack: Schema.Struct({ incoming_message: Schema.optionalKey(IncomingMessage) }),
  ack_response: Schema.Literal(true),
  err: ErrorResponse
})

/** Any frame. Most have one key; answers that sources know under two names have both. */
export const Frame = Bodies.mapFields(Struct.map(Schema.optionalKey))
export type Frame = typeof Frame.Type

/** The frames by a key that they are sure to have. */
export type Frames = { readonly [Key in keyof typeof Bodies.Type]: Frame & Pick<typeof Bodies.Type, Key> }
