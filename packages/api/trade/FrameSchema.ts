/** Schemas of the trade socket's frames, which `Frame.ts` prints by hand for speed. */
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

/** Status of an accepted order. */
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
  description: "Status of the order, or the code of the refusal."
})
const clientOrderId = Member.text("Client order id; empty if the client sent no id")
const userId = Member.uuid("Account id. The primary account's id is the user's id")
const takeProfit = Member.price("Price of the attached take-profit (0 if there is none)")
const stopLoss = Member.price("Price of the attached stop-loss (0 if there is none)")

/** State of an order, or the refusal of a command. */
export const OrderResponse = Schema.Struct({
  order_id: Member.text(
    "Order id. In a refusal, the order id that the command contains, or an empty string if the command contains none"
  ),
  symbol: Member.symbol,
  status,
  quantity: Member.quantity("Total quantity of the order"),
  price: Member.price("Limit price (0 for MARKET); for a stop, the mark price that triggers it"),
  take_profit: takeProfit,
  stop_loss: stopLoss,
  side: Schema.optionalKey(
    Side.annotate({ description: "Order side; absent if the command cancels an unknown order." })
  ),
  type: Schema.optionalKey(
    OrderType.annotate({ description: "Order type; absent if the command cancels an unknown order." })
  ),
  time_in_force: Schema.optionalKey(
    TimeInForce.annotate({ description: "Time in force of the order; absent if the command cancels an unknown order." })
  ),
  user_id: userId,
  client_order_id: clientOrderId,
  quantity_remaining: Member.quantity("Unfilled quantity of the order"),
  update_time: Member.unixSeconds("Time of the last change"),
  trade_id: Schema.NullOr(Member.uuid("Trade id of the fill if the status is FILLED; null for other statuses")),
  reduce_only: Schema.optionalKey(Member.truth("Whether the order can only reduce a position; absent in a refusal"))
}).annotate({ identifier: "OrderResponse" })
export type OrderResponse = typeof OrderResponse.Type

/** One of the account's fills. */
export const UserTrade = Schema.Struct({
  trade_id: Member.uuid("Trade id, shared by both sides of the trade"),
  symbol: Member.symbol,
  price: Member.price("Price of the trade"),
  quantity: Member.quantity("Quantity of the fill"),
  side: Side.annotate({ description: "Side of the account in the trade." }),
  aggressor_side: Side.annotate({
    description: "Side of the taker; equal to `side` if the account was the taker."
  }),
  order_id: Member.uuid("Order id of the filled order"),
  client_order_id: clientOrderId,
  fee: Member.usd("Fee paid (negative for a rebate)"),
  order_type: OrderType.annotate({ description: "Type of the filled order." }),
  tif: TimeInForce.annotate({ description: "Time in force of the filled order." }),
  execution_type: ExecutionType.annotate({
    description:
      "Cause of the trade: NEW for an ordinary trade, LIQUIDATION for a liquidation, ADL for auto-deleveraging, SETTLEMENT for the settlement of a delisted contract."
  }),
  realised_pnl: Member.usd("Profit or loss realised by the fill, before the fee"),
  timestamp: Member.unixSeconds("Time of the trade")
}).annotate({ identifier: "UserTrade" })
export type UserTrade = typeof UserTrade.Type

/** One of the account's fills, sent before the `FILLED` order responses to the same command. */
export const FillResponse = Schema.Struct({
  ...UserTrade.fields,
  user_id: userId,
  order_price: Member.price("Limit price of the order (0 for MARKET)"),
  remaining_quantity: Member.quantity("Unfilled quantity of the order after this fill"),
  take_profit: takeProfit,
  stop_loss: stopLoss
}).annotate({ identifier: "FillResponse" })
export type FillResponse = typeof FillResponse.Type

/** State of a stop, sent on `stop_orders` in addition to the same event's order response. */
export const StopOrderResponse = Schema.Struct({
  stop_order_id: Member.uuid("Id of the stop, and of the order placed when the stop triggers"),
  user_id: userId,
  symbol: Member.symbol,
  price: Member.price("Mark price that triggers the stop"),
  quantity: Member.quantity("Quantity of the stop (0 once the stop has ended)"),
  direction: Side.annotate({ description: "Side of the order placed when the stop triggers." }),
  stop_order_type: Schema.Literals(["TAKE_PROFIT", "STOP_LOSS"]).annotate({ description: "Type of the stop." }),
  client_order_id: clientOrderId,
  /** ISO 8601, as in the specification; every other time on this socket is in Unix seconds. */
  update_time: Member.instant("Time of the last change")
}).annotate({ identifier: "StopOrderResponse" })
export type StopOrderResponse = typeof StopOrderResponse.Type

const MarginRates = {
  initial_margin: Member.fraction("Initial margin at this leverage, divided by the notional"),
  maintenance_margin: Member.fraction("Maintenance margin at this leverage, divided by the notional")
}

/** The account's position in a market. */
export const PositionResponse = Schema.Struct({
  id: Member.uuid("Id of the position row, constant for each account and symbol"),
  symbol: Member.symbol,
  position: Member.quantity("Signed size of the position (negative for a short position, 0 for a closed position)"),
  margin_alloc: Member.usd("Margin held for the position"),
  realised_pnl: Member.usd("Profit or loss realised by fills in the market"),
  unrealised_pnl: Member.usd("Profit or loss if the position were closed at the mark price"),
  net_funding: Member.usd("Funding received minus funding paid"),
  open_orders: Member.count("Number of open orders in the market"),
  open_quantity: Member.quantity("Unfilled quantity of the open orders in the market"),
  leverage: Member.leverage("Leverage of the account in the market"),
  ...MarginRates,
  average_price: Member.price("Average entry price (0 if there is no position)")
}).annotate({ identifier: "PositionResponse" })
export type PositionResponse = typeof PositionResponse.Type

/** The account's balance. */
export const BalanceResponse = Schema.Struct({
  id: Member.uuid("Id of the balance row, equal to `user_id`"),
  user_id: userId,
  ...BalanceParts,
  referral_rewards: Member.usd("Referral rewards received"),
  fees: Member.usd("Fees paid minus rebates received")
}).annotate({ identifier: "BalanceResponse" })
export type BalanceResponse = typeof BalanceResponse.Type

/** Leverage in a market, with its margin rates. */
export const LeverageLevel = Schema.Struct({
  id: Member.uuid("Id of the row, constant for each account and market, or for each market and leverage level"),
  symbol: Member.symbol,
  ...MarginRates,
  max_notional: Member.usd("Maximum notional of a position at this leverage"),
  leverage: Member.text("Leverage (the notional divided by the margin): a whole number in a string")
}).annotate({ identifier: "LeverageLevel" })
export type LeverageLevel = typeof LeverageLevel.Type

/** State of a TWAP. */
export const TwapResponse = Schema.Struct({
  twap_id: Member.uuid("Id of the TWAP"),
  client_twap_id: Schema.NullOr(Member.text("Client id of the TWAP; null if the client sent no id")),
  user_id: userId,
  status: TwapStatus.annotate({ description: "Status of the TWAP." }),
  symbol: Member.symbol,
  total_quantity: Member.quantity("Total quantity of the TWAP"),
  filled_quantity: Member.quantity("Filled quantity of the TWAP"),
  average_fill_price: Member.price("Average price of the fills (0 if nothing was filled)"),
  total_num_orders: Member.count("Total number of orders in the TWAP"),
  filled_num_orders: Member.count("Number of orders with at least one fill"),
  order_interval_secs: Member.count("Interval between orders, in seconds"),
  reduce_only: Member.truth("Whether the orders can only reduce a position"),
  side: Side.annotate({ description: "Side of the orders." }),
  worst_price: Member.price("Worst price allowed for a fill (0 for no limit)"),
  start_time: Member.unixSeconds("Earliest time of the first order"),
  created_at: Member.unixSeconds("Time at which the TWAP was accepted"),
  updated_at: Member.unixSeconds("Time of the last change")
}).annotate({ identifier: "TwapResponse" })
export type TwapResponse = typeof TwapResponse.Type

/** The account's open orders, stops and TWAPs. */
export const AllOrders = Schema.Struct({
  orders: Schema.Array(OrderResponse).annotate({ description: "Open orders and stops, newest first." }),
  twaps: Schema.Array(TwapResponse).annotate({ description: "TWAPs that have not ended." })
}).annotate({ identifier: "AllOrders" })
export type AllOrders = typeof AllOrders.Type

/** State of the account's dead-man switch. */
export const CancelAllAfterResponse = Schema.Struct({
  timeout_secs: Member.count("Timeout in seconds; 0 if the switch is off"),
  cancel_at: Schema.NullOr(
    Member.unixSeconds(
      "Time at which all open orders are cancelled unless the switch is renewed (null if the switch is off)"
    )
  )
}).annotate({ identifier: "CancelAllAfterResponse" })
export type CancelAllAfterResponse = typeof CancelAllAfterResponse.Type

/** Expected result of an order that was not placed. */
export const PreviewResponse = Schema.Struct(PreviewParts).annotate({ identifier: "PreviewResponse" })
export type PreviewResponse = typeof PreviewResponse.Type

/** Schema of each key that a frame can have. */
export const Bodies = Schema.Struct({
  /** Present in the response to `auth`, and in market data, which has the market-data socket's format. */
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
  count: Member.count("Total number of matching rows, counted up to 10,000"),
  preview_response: PreviewResponse,
  user_leverage_response: Schema.Array(LeverageLevel),
  available_leverage_levels_response: Schema.Array(LeverageLevel),
  cancel_on_disconnect: Schema.Boolean,
  cancel_all_after_response: CancelAllAfterResponse,
  ack: Schema.Struct({ incoming_message: Schema.optionalKey(IncomingMessage) }),
  ack_response: Schema.Literal(true),
  err: ErrorResponse
})

/** Any frame. Most frames have one key; a response that clients expect under either of two keys has both. */
export const Frame = Bodies.mapFields(Struct.map(Schema.optionalKey))
export type Frame = typeof Frame.Type

/** For each key, the frames that contain it. */
export type Frames = { readonly [Key in keyof typeof Bodies.Type]: Frame & Pick<typeof Bodies.Type, Key> }
