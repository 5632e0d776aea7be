/** Frames in the trade socket's AsyncAPI document, each with a summary and an example. */
import { Schema } from "effect"
import { message } from "../AsyncApi.ts"
import { frames as marketData } from "../marketData/FrameMessage.ts"
import { Bodies } from "./FrameSchema.ts"

const { fields } = Bodies

/** Returns the Schema of a frame with these keys. */
const keyed = <const Key extends keyof typeof fields>(...keys: ReadonlyArray<Key>) =>
  Bodies.mapFields((all) => Object.fromEntries(keys.map((key) => [key, all[key]])) as Pick<typeof fields, Key>)

const userId = "3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"
const tradeId = "a7d9f0c4-1e6b-4d38-b2a5-90c17e5f3d82"

const order = {
  order_id: "e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77",
  symbol: "GOLD-USD",
  status: "ACK",
  quantity: 2.5,
  price: 3411.2,
  take_profit: 3480,
  stop_loss: 3375,
  side: "BUY",
  type: "LIMIT",
  time_in_force: "GTC",
  user_id: userId,
  client_order_id: "mm-7-000182",
  quantity_remaining: 2.5,
  update_time: 1_790_503_244.118,
  trade_id: null,
  reduce_only: false
} as const

const trade = {
  trade_id: tradeId,
  symbol: "GOLD-USD",
  price: 3411.1,
  quantity: 1.5,
  side: "BUY",
  aggressor_side: "SELL",
  order_id: order.order_id,
  client_order_id: order.client_order_id,
  fee: 0.511665,
  order_type: "LIMIT",
  tif: "GTC",
  execution_type: "NEW",
  realised_pnl: 0,
  timestamp: 1_790_503_244.118
} as const

const twap = {
  twap_id: "0f7b2d96-84ae-4c1d-9b53-7e20a6c8d4f1",
  client_twap_id: "unwind-12",
  user_id: userId,
  status: "ACTIVE",
  symbol: "GOLD-USD",
  total_quantity: 12,
  filled_quantity: 2,
  average_fill_price: 3409.75,
  total_num_orders: 6,
  filled_num_orders: 1,
  order_interval_secs: 45,
  reduce_only: true,
  side: "SELL",
  worst_price: 3390.5,
  start_time: 1_790_503_301.4,
  created_at: 1_790_503_301.4,
  updated_at: 1_790_503_346.9
} as const

const level = {
  id: "d8a4f1b6-7c20-4e95-a3d7-1b60c9e5f284",
  symbol: "GOLD-USD",
  initial_margin: 0.05,
  maintenance_margin: 0.03333333333333333,
  max_notional: 13_333_333.333333,
  leverage: "20"
} as const

const preview = {
  user_id: userId,
  symbol: "AAPL-USD",
  side: "BUY",
  type: "LIMIT",
  time_in_force: "GTC",
  price: 200.5,
  quantity: 5,
  reduce_only: false,
  client_order_id: "",
  status: "FILLED",
  refusal: null,
  mark_price: 200,
  min_price: 100,
  max_price: 210,
  worst_price: 200.5,
  filled_quantity: 2,
  average_price: 200.1,
  resting_quantity: 3,
  realised_pnl: 0,
  leverage: 10,
  order_margin: 102.75,
  available_balance: 1_000,
  available_balance_after: 897.25,
  required_fee: 1.0025,
  taker_fee_rate: 0.001,
  maker_fee_rate: 0.0002,
  fee: 0.4002,
  resting_fee: 0.1203,
  builder_reward: 0,
  venue_fee: 0.4002,
  reserve_fund_fee: 0,
  builder_fee_share_bps: 0,
  venue_fee_share_bps: 10_000
} as const

const listed = { orders: [order], twaps: [twap] }

/** Frames by their name in the document. */
export const frames = {
  authenticated: message(
    "Confirmation that the connection is signed in.",
    Schema.Struct({ ...keyed("result", "authenticated").fields, type: Schema.Literal("auth") }),
    { type: "auth", result: "success", authenticated: true }
  ),
  subscribed: message("Confirmation of a subscription, one frame for each channel.", keyed("subscribed"), {
    subscribed: "order_responses"
  }),
  unsubscribed: message(
    "Confirmation that a subscription has ended, one frame for each channel.",
    keyed("unsubscribed"),
    { unsubscribed: "fills" }
  ),
  order_response: message(
    "State of an order, or the refusal of a command. An accepted order has the status ACK, then FILLED for each fill, " +
      "then its final status. Each FILLED frame of one command has its own trade_id; its quantity_remaining is the " +
      "quantity left after the whole command. The answer to get_order also contains the key all_orders_response.",
    Schema.Struct({
      order_response: fields.order_response,
      all_orders_response: Schema.optionalKey(fields.all_orders_response)
    }),
    { order_response: order }
  ),
  fill_response: message(
    "Fill of an order. All fills of a command are sent first, then one FILLED order_response for each fill. " +
      "remaining_quantity is the quantity left after this fill.",
    keyed("fill_response"),
    {
      fill_response: {
        ...trade,
        user_id: userId,
        order_price: order.price,
        remaining_quantity: 1,
        take_profit: order.take_profit,
        stop_loss: order.stop_loss
      }
    }
  ),
  stop_order_response: message(
    "New state of a stop that was added, changed, reduced, cancelled or triggered.",
    keyed("stop_order_response"),
    {
      stop_order_response: {
        stop_order_id: "91e6c0d8-2b7f-4a35-8d14-5c3f0b9e72a6",
        user_id: userId,
        symbol: "GOLD-USD",
        price: 3375,
        quantity: 1.5,
        direction: "SELL",
        stop_order_type: "STOP_LOSS",
        client_order_id: order.client_order_id,
        update_time: "2026-09-27T14:40:44.118Z"
      }
    }
  ),
  twap_response: message("Progress of a TWAP.", keyed("twap_response"), { twap_response: twap }),
  position_response: message(
    "Position in a market, sent after fills (at most every 200 ms) and once a second. A closed position is sent " +
      "one last time with `position` 0.",
    keyed("position_response"),
    {
      position_response: {
        id: "5d2b8c1f-60e3-4a97-bc0d-2f7e9a4186c5",
        symbol: "GOLD-USD",
        position: 1.5,
        margin_alloc: 255.915,
        realised_pnl: 0,
        unrealised_pnl: 1.65,
        net_funding: -0.012,
        open_orders: 1,
        open_quantity: 1,
        leverage: 20,
        initial_margin: 0.05,
        maintenance_margin: 0.03333333333333333,
        average_price: 3411.1
      }
    }
  ),
  balance_response: message(
    "Balance of the account, sent after fills (at most every 200 ms) and once a second.",
    keyed("balance_response"),
    {
      balance_response: {
        id: userId,
        user_id: userId,
        deposit: 25_000,
        realised_pnl: 118.4,
        order_margin: 170.56,
        position_margin: 255.915,
        unrealised_pnl: 1.65,
        net_funding: -0.012,
        available_balance: 24_693.051335,
        referral_rewards: 0,
        fees: 0.511665
      }
    }
  ),
  all_orders_response: message(
    "Open orders, stops and TWAPs. `all_orders_response` and `get_orders_response` contain the same list.",
    keyed("all_orders_response", "get_orders_response"),
    { all_orders_response: listed, get_orders_response: listed }
  ),
  user_trades_response: message(
    "Fills of the account, newest first. `user_trades_response` and `user_trades` contain the same list. `count` is " +
      "the total number of matching fills, counted up to 10,000.",
    keyed("user_trades_response", "user_trades", "count"),
    { user_trades_response: [trade], user_trades: [trade], count: 1 }
  ),
  preview_response: message("Expected result of a previewed order, which is not placed.", keyed("preview_response"), {
    preview_response: preview
  }),
  user_leverage_response: message("Current leverage in each market.", keyed("user_leverage_response"), {
    user_leverage_response: [level]
  }),
  available_leverage_levels_response: message(
    "Leverage levels available in each market.",
    keyed("available_leverage_levels_response"),
    { available_leverage_levels_response: [level] }
  ),
  cancel_on_disconnect_flag: message(
    "New value of this connection's cancel-on-disconnect flag.",
    keyed("cancel_on_disconnect"),
    {
      cancel_on_disconnect: true
    }
  ),
  ack: message("Confirmation of a command that has no dedicated response frame.", keyed("ack", "ack_response"), {
    ack: { incoming_message: { type: "set_user_leverage", params: { symbol: "GOLD-USD", leverage: 20 } } },
    ack_response: true
  }),
  cancel_all_after_response: message(
    "Confirmation that the account's dead-man switch is set, renewed or switched off.",
    keyed("cancel_all_after_response", "ack", "ack_response"),
    {
      cancel_all_after_response: { timeout_secs: 30, cancel_at: 1_790_503_275 },
      ack: { incoming_message: { type: "cancel_all_after", params: { timeout_secs: 30 } } },
      ack_response: true
    }
  ),
  err: message("Refusal of a command, or notice that the outcome of a command is unknown.", keyed("err"), {
    err: {
      error_code: "InvalidJSONFormat",
      message: "missing field reduce_only: expected true or false",
      incoming_message: { type: "modify_order", params: { symbol: "GOLD-USD" } }
    }
  }),
  market_stats: marketData.market_stats,
  funding: marketData.funding,
  market_data_subscribed: marketData.subscribed,
  market_data_unsubscribed: marketData.unsubscribed
}
