/** Every frame of the market-data socket for its description: what it tells, and one of it. */
import { Schema } from "effect"
import { message } from "../AsyncApi.ts"
import { ErrorResponse } from "../ErrorFrame.ts"
import * as Frames from "./FrameSchema.ts"

const at = { sequence: 48_213, time: "2026-09-27T14:40:44.118Z", symbol: "GOLD-USD" } as const
const sides = { bid: [["3411.1", "4.25"]], ask: [["3411.3", "2"]] } as const
const rate = { funding_rate: "0.00002", annualised_funding_rate: "0.1752", time_remaining: 1_156 }

export const frames = {
  level2: message("The whole of the best twenty levels a side, twice a second.", Frames.Level2, {
    type: "level2",
    ...at,
    ...sides,
    sig_figs: 0
  }),
  bbo: message("The best price of each side, on change and after 5 s without one.", Frames.Bbo, {
    type: "bbo",
    ...at,
    ...sides
  }),
  trade: message("A trade, as it happens.", Frames.Trade, {
    type: "trade",
    ...at,
    trade_id: "a7d9f0c4-1e6b-4d38-b2a5-90c17e5f3d82",
    size: "1.5",
    price: "3411.1",
    side: "sell",
    execution_type: "T"
  }),
  mark_price: message("The mark, once a second.", Frames.MarkPrice, { type: "mark_price", ...at, price: "3410.95" }),
  candle: message("A window that runs, with each change, or one that has closed.", Frames.Candle, {
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
  underlier: message("What the contract follows, once a second.", Frames.Underlier, {
    type: "underlier",
    ...at,
    price: "3410.87",
    source: "external"
  }),
  funding: message("The rate of funding, once a second in funding hours.", Frames.Funding, {
    type: "funding",
    ...at,
    ...rate
  }),
  open_interest: message("Open interest, on change and after 10 s without one.", Frames.OpenInterest, {
    type: "open_interest",
    ...at,
    open_interest: "1834.5"
  }),
  minmax_price: message(
    "The band of prices that are taken, on change and after 10 s without one.",
    Frames.MinmaxPrice,
    {
      type: "minmax_price",
      ...at,
      min_price: "3240.5",
      max_price: "3581.5"
    }
  ),
  market_stats: message("Figures of one market once a second, or of all every ten seconds.", Frames.MarketStats, {
    type: "market_stats",
    ...at,
    symbol: "*",
    bbos: [{ time: at.time, symbol: at.symbol, ...sides }],
    mark_prices: [{ time: at.time, symbol: at.symbol, price: "3410.95" }],
    open_interests: [{ time: at.time, symbol: at.symbol, open_interest: "1834.5" }],
    daily_volumes: [{ symbol: at.symbol, volume: "912.75" }],
    funding_rates: [{ time: at.time, symbol: at.symbol, ...rate }],
    rolling_volumes: [{ symbol: at.symbol, quantity_24h: "2204.5", usd_notional_24h: "7519034.15" }]
  }),
  subscribed: message("What was asked for is told from now on.", Frames.Subscribed, {
    type: "subscribed",
    channels: ["level2"],
    symbols: ["GOLD-USD"],
    sig_figs: [0]
  }),
  unsubscribed: message("What was asked for is told no more.", Frames.Unsubscribed, {
    type: "unsubscribed",
    channels: ["bbo"],
    symbols: ["GOLD-USD"]
  }),
  err: message("What of a request was not done.", Schema.Struct({ err: ErrorResponse }), {
    err: {
      error_code: "InvalidParameter",
      message: "unknown symbol FOO-USD",
      incoming_message: { type: "subscribe", channels: ["bbo"], symbols: ["FOO-USD"] }
    }
  })
}
