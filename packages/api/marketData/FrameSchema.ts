/** Schemas of the market-data socket's frames, which `Frame.ts` prints by hand for speed. */
import { Schema } from "effect"
import { ErrorResponse } from "../ErrorFrame.ts"
import * as Member from "../Member.ts"
import { Channel, Interval, SigFigs } from "./CommandSchema.ts"

/** Level of a book: price and size as decimal text. */
export const LevelText = Schema.Tuple([
  Member.priceText("Price of the level"),
  Member.quantityText("Size of the level")
])

const sequence = Member.count("Sequence number of the data frame on this connection, from 1 without gaps")
const time = Member.instant("Time of the values")

const data = <const Type extends string, const Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), sequence, time, symbol: Member.symbol, ...fields })

const Sides = {
  bid: Schema.Array(LevelText).annotate({ description: "Buy levels as pairs of price and size, highest price first." }),
  ask: Schema.Array(LevelText).annotate({ description: "Sell levels as pairs of price and size, lowest price first." })
}

/** Snapshot of the best 20 levels per side; replaces the previous snapshot. */
export const Level2 = data("level2", { ...Sides, sig_figs: SigFigs })
export type Level2 = typeof Level2.Type

/** Best price of each side; a side without orders has an empty list. */
export const Bbo = data("bbo", Sides)
export type Bbo = typeof Bbo.Type

/** Trade. */
export const Trade = data("trade", {
  trade_id: Member.uuid("Trade id, the same as in the fills of both sides"),
  size: Member.quantityText("Quantity of the trade"),
  price: Member.priceText("Price of the trade"),
  side: Schema.Literals(["buy", "sell"]).annotate({ description: "Side of the taker." }),
  execution_type: Schema.Literals(["T", "L", "A", "S"]).annotate({
    description:
      "Kind of the trade: T for an ordinary trade, L for a liquidation on the book, A for a takeover or an " +
      "auto-deleveraging off the book, S for the settlement of a delisted contract."
  })
})
export type Trade = typeof Trade.Type

/** Mark price. */
export const MarkPrice = data("mark_price", { price: Member.priceText("Mark price") })
export type MarkPrice = typeof MarkPrice.Type

/** Price of the underlier. */
export const Underlier = data("underlier", {
  price: Member.priceText("Price of the underlier"),
  source: Schema.Literals(["external", "internal"]).annotate({
    description: "Source of the price: `external` for price sources, `internal` for a price derived from the book."
  })
})
export type Underlier = typeof Underlier.Type

/** Members of a funding rate, which applies to the notional at the mark price. */
export const Rate = {
  funding_rate: Member.fractionText(
    "Funding rate for the current hour if the hour ended now (positive: longs pay shorts; eight decimals)"
  ),
  annualised_funding_rate: Member.fractionText("Annualised funding rate: the hourly rate times 8,760 (four decimals)"),
  time_remaining: Member.count("Time until the end of the hour, in seconds")
}

/** The current hour's funding rate. */
export const Funding = data("funding", Rate)
export type Funding = typeof Funding.Type

/** Open interest. */
export const OpenInterest = data("open_interest", {
  open_interest: Member.quantityText("Sum of all long positions, which equals the sum of all short positions")
})
export type OpenInterest = typeof OpenInterest.Type

/** Range of accepted prices. */
export const MinmaxPrice = data("minmax_price", {
  min_price: Member.priceText("Lowest price allowed for a sell order"),
  max_price: Member.priceText("Highest price allowed for a buy order")
})
export type MinmaxPrice = typeof MinmaxPrice.Type

/** Candle of the current window, sent on change, or of a window that has closed. */
export const Candle = Schema.Struct({
  type: Schema.Literal("candle"),
  sequence,
  symbol: Member.symbol,
  start: Member.instant("Window start"),
  resolution: Interval,
  open: Member.priceText("First price of the window"),
  high: Member.priceText("Highest price of the window"),
  low: Member.priceText("Lowest price of the window"),
  close: Member.priceText("Last price of the window so far"),
  usdVolume: Member.count("Traded volume in whole USD, rounded down"),
  trades: Member.count("Number of trades in the window")
})
export type Candle = typeof Candle.Type

const listOf = <const Fields extends Schema.Struct.Fields>(description: string, fields: Fields) =>
  Schema.Array(Schema.Struct({ symbol: Member.symbol, ...fields })).annotate({ description })

/** Statistics of one market, or of all markets if `symbol` is `*`. */
export const MarketStats = data("market_stats", {
  bbos: listOf("Best prices of each market.", { time, ...Sides }),
  mark_prices: listOf("Mark price of each market.", { time, price: Member.priceText("Mark price") }),
  open_interests: listOf("Open interest of each market.", {
    time,
    open_interest: Member.quantityText("Sum of all long positions, which equals the sum of all short positions")
  }),
  daily_volumes: listOf("Quantity traded on the book of each market since the last 20:00 in Chicago.", {
    volume: Member.quantityText("Traded quantity")
  }),
  funding_rates: listOf("Funding rate of each market for the current hour.", { time, ...Rate }),
  rolling_volumes: listOf(
    "Volume traded on the book of each market in the last 1,440 minutes, including the current minute.",
    {
      quantity_24h: Member.quantityText("Traded quantity"),
      usd_notional_24h: Member.usdText("Traded notional")
    }
  )
})
export type MarketStats = typeof MarketStats.Type

const confirmation = <const Type extends string>(type: Type) =>
  Schema.Struct({
    type: Schema.Literal(type),
    channels: Schema.Array(Channel).annotate({ description: "Names of channels." }),
    symbols: Schema.Array(Schema.String).annotate({
      description: "Valid symbols of the request; * stands for all markets."
    }),
    sig_figs: Schema.optionalKey(
      Schema.Array(SigFigs).annotate({ description: "Price groupings; present only for the `level2` channel." })
    ),
    intervals: Schema.optionalKey(
      Schema.Array(Interval).annotate({ description: "Candle intervals; present only for the `candle` channel." })
    )
  })

/** Confirmation of a subscription. */
export const Subscribed = confirmation("subscribed")

/** Confirmation of an unsubscription. */
export const Unsubscribed = confirmation("unsubscribed")

/** Refusal of a whole request, or of a part of it. */
export const ErrorFrame = Schema.Struct({
  type: Schema.optionalKey(Schema.Undefined),
  sequence: Schema.optionalKey(Schema.Undefined),
  err: ErrorResponse
})

/** Numbered frame of a channel. */
export const Data = Schema.Union([
  Level2,
  Bbo,
  Trade,
  MarkPrice,
  Underlier,
  Funding,
  OpenInterest,
  MinmaxPrice,
  Candle,
  MarketStats
])
export type Data = typeof Data.Type

/** Frame of the market-data socket. */
export const Frame = Schema.Union([...Data.members, Subscribed, Unsubscribed, ErrorFrame])
export type Frame = typeof Frame.Type

/** Frames by their `type`; the error frame, which has no type, by its key. */
export type Frames = {
  readonly [Type in NonNullable<Frame["type"]>]: Extract<Frame, { readonly type: Type }>
} & { readonly err: typeof ErrorFrame.Type }
