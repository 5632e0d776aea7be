/** Frames in the market-data socket's AsyncAPI document, each with a summary and an example. */
import { Schema } from "effect"
import { message } from "../AsyncApi.ts"
import { ErrorResponse } from "../ErrorFrame.ts"
import * as Frames from "./FrameSchema.ts"

const at = { sequence: 48_213, time: "2026-09-27T14:40:44.118Z", symbol: "GOLD-USD" } as const
const sides = { bid: [["3411.1", "4.25"]], ask: [["3411.3", "2"]] } as const
const rate = { funding_rate: "0.00002", annualised_funding_rate: "0.1752", time_remaining: 1_156 }

/** Frames by their `type`; the error frame, which has no type, by its key. */
export const frames = {
  level2: message("Snapshot of the best 20 levels per side, sent twice a second.", Frames.Level2, {
    type: "level2",
    ...at,
    ...sides,
    sig_figs: 0
  }),
  bbo: message("Best price and size of each side, sent on change and after 5 s without a change.", Frames.Bbo, {
    type: "bbo",
    ...at,
    ...sides
  }),
  trade: message("Trade, sent immediately.", Frames.Trade, {
    type: "trade",
    ...at,
    trade_id: "a7d9f0c4-1e6b-4d38-b2a5-90c17e5f3d82",
    size: "1.5",
    price: "3411.1",
    side: "sell",
    execution_type: "T"
  }),
  mark_price: message("Mark price, sent once a second.", Frames.MarkPrice, {
    type: "mark_price",
    ...at,
    price: "3410.95"
  }),
  candle: message("Candle of the current window, sent on change, or candle of a closed window.", Frames.Candle, {
    type: "candle",
    sequence: 48_216,
    symbol: "GOLD-USD",
    start: "2026-09-27T14:40:00Z",
    resolution: "1MIN",
    open: "3410.4",
    high: "3411.3",
    low: "3410.2",
    close: "3411.1",
    usdVolume: 18_250,
    trades: 23
  }),
  underlier: message("Price of the underlier, sent once a second.", Frames.Underlier, {
    type: "underlier",
    ...at,
    price: "3410.87",
    source: "external"
  }),
  funding: message("Funding rate of the current hour, sent once a second while funding accrues.", Frames.Funding, {
    type: "funding",
    ...at,
    ...rate
  }),
  open_interest: message("Open interest, sent on change and after 10 s without a change.", Frames.OpenInterest, {
    type: "open_interest",
    ...at,
    open_interest: "1834.5"
  }),
  minmax_price: message(
    "Range of accepted prices, sent on change and after 10 s without a change.",
    Frames.MinmaxPrice,
    {
      type: "minmax_price",
      ...at,
      min_price: "3240.5",
      max_price: "3581.5"
    }
  ),
  market_stats: message(
    "Statistics of one market (sent once a second) or of all markets (sent every 10 s).",
    Frames.MarketStats,
    {
      type: "market_stats",
      ...at,
      symbol: "*",
      bbos: [{ time: at.time, symbol: at.symbol, ...sides }],
      mark_prices: [{ time: at.time, symbol: at.symbol, price: "3410.95" }],
      open_interests: [{ time: at.time, symbol: at.symbol, open_interest: "1834.5" }],
      daily_volumes: [{ symbol: at.symbol, volume: "912.75" }],
      funding_rates: [{ time: at.time, symbol: at.symbol, ...rate }],
      rolling_volumes: [{ symbol: at.symbol, quantity_24h: "2204.5", usd_notional_24h: "7519034.15" }]
    }
  ),
  subscribed: message("Confirmation of a subscription.", Frames.Subscribed, {
    type: "subscribed",
    channels: ["level2"],
    symbols: ["GOLD-USD"],
    sig_figs: [0]
  }),
  unsubscribed: message("Confirmation that subscriptions have ended.", Frames.Unsubscribed, {
    type: "unsubscribed",
    channels: ["bbo"],
    symbols: ["GOLD-USD"]
  }),
  err: message("Refusal of a whole request, or of a part of a request.", Schema.Struct({ err: ErrorResponse }), {
    err: {
      error_code: "InvalidParameter",
      message: "unknown symbol FOO-USD",
      incoming_message: { type: "subscribe", channels: ["bbo"], symbols: ["FOO-USD"] }
    }
  })
}
