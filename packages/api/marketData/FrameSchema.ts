/** Every frame of the market-data socket as it travels: the contract that `Frame.ts` prints by hand. */
import { Schema } from "effect"
import { ErrorResponse } from "../ErrorFrame.ts"
import * as Member from "../Member.ts"
import { Channel, Interval, SigFigs } from "./CommandSchema.ts"

export const LevelText = Schema.Tuple([
  Member.priceText("The price of the level"),
  Member.quantityText("What rests there")
])

const sequence = Member.count("Counts the data frames of one connection from 1, so that a hole shows")
const time = Member.instant("When it was so")

const data = <const Type extends string, const Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), sequence, time, symbol: Member.symbol, ...fields })

const Sides = {
  bid: Schema.Array(LevelText).annotate({ description: "Pairs of price and size, the highest price first." }),
  ask: Schema.Array(LevelText).annotate({ description: "Pairs of price and size, the lowest price first." })
}

/** The whole of the best twenty levels a side: it takes the place of the one before. */
export const Level2 = data("level2", { ...Sides, sig_figs: SigFigs })
export type Level2 = typeof Level2.Type

/** At most one level a side. */
export const Bbo = data("bbo", Sides)
export type Bbo = typeof Bbo.Type

export const Trade = data("trade", {
  trade_id: Member.uuid("As the fills of both sides have it"),
  size: Member.quantityText("What was traded"),
  price: Member.priceText("It was traded at"),
  side: Schema.Literals(["buy", "sell"]).annotate({ description: "The aggressor's." }),
  execution_type: Schema.Literals(["T", "L", "A", "S"]).annotate({
    description:
      "T is an ordinary trade, L a liquidation on the book, A a position that was taken over or deleveraged " +
      "off it, and S a settlement."
  })
})
export type Trade = typeof Trade.Type

export const MarkPrice = data("mark_price", { price: Member.priceText("The mark") })
export type MarkPrice = typeof MarkPrice.Type

export const Underlier = data("underlier", {
  price: Member.priceText("What the contract follows"),
  source: Schema.Literals(["external", "internal"]).annotate({
    description: "external where the price is from outside, internal where the book makes it."
  })
})
export type Underlier = typeof Underlier.Type

/** Fields of a rate, which is of the value at the mark, for an hour. */
export const Rate = {
  funding_rate: Member.fractionText("What an hour would cost longs if it ended now, to eight places"),
  annualised_funding_rate: Member.fractionText("The same over 8,760 hours, to four places"),
  time_remaining: Member.count("Seconds to the end of the hour")
}

export const Funding = data("funding", Rate)
export type Funding = typeof Funding.Type

export const OpenInterest = data("open_interest", {
  open_interest: Member.quantityText("What is held long, and as much short")
})
export type OpenInterest = typeof OpenInterest.Type

export const MinmaxPrice = data("minmax_price", {
  min_price: Member.priceText("Sells below it are refused"),
  max_price: Member.priceText("Buys above it are refused")
})
export type MinmaxPrice = typeof MinmaxPrice.Type

/** Of a window that runs, again with each change, or of one that has closed. */
export const Candle = Schema.Struct({
  type: Schema.Literal("candle"),
  sequence,
  symbol: Member.symbol,
  start: Member.instant("The window begins here"),
  resolution: Interval,
  open: Member.priceText("The first of the window"),
  high: Member.priceText("The highest"),
  low: Member.priceText("The lowest"),
  close: Member.priceText("The last so far"),
  usdVolume: Member.count("In whole USD, rounded down"),
  trades: Member.count("Trades of the window")
})
export type Candle = typeof Candle.Type

const listOf = <const Fields extends Schema.Struct.Fields>(description: string, fields: Fields) =>
  Schema.Array(Schema.Struct({ symbol: Member.symbol, ...fields })).annotate({ description })

/** `symbol` is `*` where all were asked for. */
export const MarketStats = data("market_stats", {
  bbos: listOf("Best prices.", { time, ...Sides }),
  mark_prices: listOf("Marks.", { time, price: Member.priceText("The mark") }),
  open_interests: listOf("Open interest.", {
    time,
    open_interest: Member.quantityText("What is held long, and as much short")
  }),
  daily_volumes: listOf("Traded on the book since 20:00 in Chicago.", {
    volume: Member.quantityText("What was traded")
  }),
  funding_rates: listOf("Rates of the hour.", { time, ...Rate }),
  rolling_volumes: listOf("Traded on the book in the 1,440 minutes up to and with this one.", {
    quantity_24h: Member.quantityText("What was traded"),
    usd_notional_24h: Member.usdText("What that was worth")
  })
})
export type MarketStats = typeof MarketStats.Type

const confirmation = <const Type extends string>(type: Type) =>
  Schema.Struct({
    type: Schema.Literal(type),
    channels: Schema.Array(Channel),
    symbols: Schema.Array(Schema.String).annotate({ description: "As they were asked for." }),
    sig_figs: Schema.optionalKey(Schema.Array(SigFigs).annotate({ description: "With level2 alone." })),
    intervals: Schema.optionalKey(Schema.Array(Interval).annotate({ description: "With candle alone." }))
  })

export const Subscribed = confirmation("subscribed")

export const Unsubscribed = confirmation("unsubscribed")

export const ErrorFrame = Schema.Struct({
  type: Schema.optionalKey(Schema.Undefined),
  sequence: Schema.optionalKey(Schema.Undefined),
  err: ErrorResponse
})

/** What a channel tells, numbered. */
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

export const Frame = Schema.Union([...Data.members, Subscribed, Unsubscribed, ErrorFrame])
export type Frame = typeof Frame.Type

/** The frames by their type; the error frame has a key instead. */
export type Frames = {
  readonly [Type in NonNullable<Frame["type"]>]: Extract<Frame, { readonly type: Type }>
} & { readonly err: typeof ErrorFrame.Type }
