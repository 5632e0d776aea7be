/** Commands in the trade socket's AsyncAPI document, each with a summary, its responses and an example. */
import { Schema } from "effect"
import { type Command, command } from "../AsyncApi.ts"
import * as Commands from "./CommandSchema.ts"

const order = {
  symbol: "GOLD-USD",
  side: "BUY",
  order_type: "LIMIT",
  order_time_in_force: "GTC",
  quantity: 2.5,
  price: 3411.2,
  client_order_id: "mm-7-000182"
} as const
const orderId = "e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77"
const stopId = "91e6c0d8-2b7f-4a35-8d14-5c3f0b9e72a6"

const session = {
  auth: command(
    "Signs the connection in with an API key or an access token. Required within 60 s of connecting.",
    ["authenticated", "err"],
    Commands.Auth,
    {
      type: "auth",
      params: {
        hmac: {
          public_key: "svc_pub_4kd91",
          nonce: "9f1c2ab07de4451b8a90c3fe77125d60",
          unix_ts: 1_790_503_201,
          signature: "0b6f3a51c29d8e7745aa90be13f2c4d8e6170f5b2c9a8d3e4f60718293a4b5c6"
        }
      }
    }
  ),
  subscribe: command(
    "Subscribes to channels. Without the `order_responses` channel, the connection receives no order_response, not even " +
      "the answer to its own add_order.",
    ["subscribed", "market_data_subscribed", "market_stats", "funding", "err"],
    Schema.Union([Commands.Subscribe, Commands.FlatSubscribe]),
    { type: "subscribe", params: { channels: ["order_responses", "fills"] } }
  ),
  unsubscribe: command(
    "Unsubscribes from channels.",
    ["unsubscribed", "market_data_unsubscribed", "err"],
    Schema.Union([Commands.Unsubscribe, Commands.FlatUnsubscribe]),
    { type: "unsubscribe", params: { channels: ["fills"] } }
  ),
  cancel_on_disconnect: command(
    "Sets whether all open orders of the account are cancelled when this connection ends.",
    ["ack", "err"],
    Commands.CancelOnDisconnect,
    { type: "cancel_on_disconnect", params: { cancel_on_disconnect: true } }
  ),
  cancel_all_after: command(
    "Sets the account's dead-man switch, which cancels all open orders after 5 to 600 s unless the command is " +
      "repeated in time. A timeout of 0 switches it off.",
    ["cancel_all_after_response", "err"],
    Commands.CancelAllAfter,
    { type: "cancel_all_after", params: { timeout_secs: 30 } }
  )
}

const orders = {
  add_order: command("Places an order or a stop.", ["order_response", "err"], Commands.AddOrder, {
    type: "add_order",
    params: order
  }),
  preview_order: command(
    "Previews an order, or an order that closes the whole position, without placing it.",
    ["preview_response", "err"],
    Commands.PreviewOrder,
    { type: "preview_order", params: order }
  ),
  modify_order: command(
    "Changes the price, quantity or attached stops of an open order.",
    ["order_response", "err"],
    Commands.ModifyOrder,
    {
      type: "modify_order",
      params: {
        symbol: "GOLD-USD",
        order_id: orderId,
        side: "BUY",
        order_type: "LIMIT",
        reduce_only: false,
        price: 3410.9,
        quantity: 3
      }
    }
  ),
  cancel_order: command(
    "Cancels one order, all orders with a client order id, or a TWAP. Sends one answer for each order.",
    ["order_response", "twap_response", "err"],
    Commands.CancelOrder,
    {
      type: "cancel_order",
      params: { symbol: "GOLD-USD", order_id: "mm-7-000182", cancel_order_id_type: "client_order_id" }
    }
  ),
  cancel_all_orders: command(
    "Cancels all open orders and stops of the account in every market, or in one market.",
    ["ack", "err"],
    Commands.CancelAllOrders,
    { type: "cancel_all_orders", params: {} }
  ),
  close_position: command(
    "Closes the whole position with an immediate reduce-only order.",
    ["order_response", "err"],
    Commands.ClosePosition,
    { type: "close_position", params: { symbol: "GOLD-USD", client_order_id: "flat-0931" } }
  ),
  cancel_stop_order: command("Cancels a stop.", ["ack", "order_response", "err"], Commands.CancelStopOrder, {
    type: "cancel_stop_order",
    params: { stop_order_id: stopId }
  }),
  modify_stop_order: command(
    "Changes the price or quantity of a stop.",
    ["ack", "order_response", "err"],
    Commands.ModifyStopOrder,
    {
      type: "modify_stop_order",
      params: { symbol: "GOLD-USD", stop_order_id: stopId, price: 3382.5, quantity: 1 }
    }
  ),
  add_twap: command(
    "Starts a TWAP: a large order placed in slices over time.",
    ["twap_response", "err"],
    Commands.AddTwap,
    {
      type: "add_twap",
      params: {
        symbol: "GOLD-USD",
        side: "SELL",
        total_quantity: 12,
        num_orders: 6,
        order_interval_secs: 45,
        reduce_only: true,
        client_twap_id: "unwind-12",
        worst_price: 3390.5
      }
    }
  )
}

const queries = {
  get_order: command("Returns one open order.", ["order_response", "err"], Commands.GetOrder, {
    type: "get_order",
    params: { symbol: "GOLD-USD", order_id: orderId }
  }),
  get_user_orders: command(
    "Returns the open orders, stops and TWAPs of the account.",
    ["all_orders_response", "err"],
    Commands.GetUserOrders,
    { type: "get_user_orders", params: { limit: 100, offset: 0, symbol: "GOLD-USD" } }
  ),
  get_user_trades: command(
    "Returns the fills of the account, newest first.",
    ["user_trades_response", "err"],
    Commands.GetUserTrades,
    { type: "get_user_trades", params: { limit: 50, start_ts: 1_790_400_000, end_ts: 1_790_503_201 } }
  ),
  get_user_leverage: command(
    "Returns the current leverage in each market.",
    ["user_leverage_response", "err"],
    Commands.GetUserLeverage,
    { type: "get_user_leverage", params: { limit: 50 } }
  ),
  get_available_leverage_levels: command(
    "Returns the leverage levels available in each market.",
    ["available_leverage_levels_response", "err"],
    Commands.GetAvailableLeverageLevels,
    { type: "get_available_leverage_levels", params: {} }
  ),
  set_user_leverage: command(
    "Sets the leverage in a market without a position or open orders.",
    ["ack", "err"],
    Commands.SetUserLeverage,
    { type: "set_user_leverage", params: { symbol: "GOLD-USD", leverage: 20 } }
  )
}

/** Commands by their `type`. */
export const commands: Readonly<Record<Commands.Command["type"], Command>> = { ...session, ...orders, ...queries }
