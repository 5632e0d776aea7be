/** Every frame of the market-data socket as it travels: the contract that `Frame.ts` prints by hand. */
import { Schema } from "effect"
import { ErrorResponse } from "../ErrorFrame.ts"
import { Channel, Interval, SigFigs } from "./CommandSchema.ts"

/** Price and size, as decimal text. */
export const LevelText = Schema.Tuple([Schema.String, Schema.String])

const data = <const Type extends string, const Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({
    type: Schema.Literal(type),
    /** Counts the data frames of one connection from 1, so that a hole shows. */
    sequence: Schema.Int,
    /** ISO 8601 in UTC. */
    time: Schema.String,
    symbol: Schema.String,
    ...fields
  })

/** Best first on both sides. */
const Sides = { bid: Schema.Array(LevelText), ask: Schema.Array(LevelText) }

/** The whole of the best twenty levels a side: it takes the place of the one before. */
export const Level2 = data("level2", { ...Sides, sig_figs: SigFigs })
export type Level2 = typeof Level2.Type

/** At most one level a side. */
export const Bbo = data("bbo", Sides)
export type Bbo = typeof Bbo.Type

/** `side` is the aggressor's. `T` is an ordinary trade, `L` a liquidation on the book, `A` a position that was taken over or deleveraged off it, and `S` a settlement. */
export const Trade = data("trade", {
  trade_id: Schema.String,
  size: Schema.String,
  price: Schema.String,
  side: Schema.Literals(["buy", "sell"]),
  execution_type: Schema.Literals(["T", "L", "A", "S"])
})
export type Trade = typeof Trade.Type

export const MarkPrice = data("mark_price", { price: Schema.String })
export type MarkPrice = typeof MarkPrice.Type

/** `external` where the price is from outside, `internal` where the book makes it. */
export const Underlier = data("underlier", { price: Schema.String, source: Schema.Literals(["external", "internal"]) })
export type Underlier = typeof Underlier.Type

/** Fields of a rate, which is a fraction of the value at the mark for an hour. */
export const Rate = {
  /** If the hour ended now: to eight places. */
  funding_rate: Schema.String,
  /** The same over 8,760 hours: to four places. */
  annualised_funding_rate: Schema.String,
  /** Seconds to the end of the hour. */
  time_remaining: Schema.Int
}

export const Funding = data("funding", Rate)
export type Funding = typeof Funding.Type

/** Base units that are held long, and as many short. */
export const OpenInterest = data("open_interest", { open_interest: Schema.String })
export type OpenInterest = typeof OpenInterest.Type

/** Buys above the one and sells below the other are refused. */
export const MinmaxPrice = data("minmax_price", { min_price: Schema.String, max_price: Schema.String })
export type MinmaxPrice = typeof MinmaxPrice.Type

/** Of a window that runs, again with each change, or of one that has closed. */
export const Candle = Schema.Struct({
  type: Schema.Literal("candle"),
  sequence: Schema.Int,
  symbol: Schema.String,
  /** The window begins here, in ISO 8601. */
  start: Schema.String,
  resolution: Interval,
  open: Schema.String,
  high: Schema.String,
  low: Schema.String,
  close: Schema.String,
  /** In whole USD, rounded down. */
  usdVolume: Schema.Int,
  trades: Schema.Int
})
export type Candle = typeof Candle.Type

const listOf = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Array(Schema.Struct({ symbol: Schema.String, ...fields }))
const time = Schema.String

/** `symbol` is `*` where all were asked for. */
export const MarketStats = data("market_stats", {
  bbos: listOf({ time, ...Sides }),
  mark_prices: listOf({ time, price: Schema.String }),
  open_interests: listOf({ time, open_interest: Schema.String }),
  /** Base units traded on the book since 20:00 in Chicago. */
  daily_volumes: listOf({ volume: Schema.String }),
  funding_rates: listOf({ time, ...Rate }),
  /** On the book, in the 1,440 minutes up to and with this one. */
  rolling_volumes: listOf({ quantity_24h: Schema.String, usd_notional_24h: Schema.String })
})
export type MarketStats = typeof MarketStats.Type

const confirmation = <const Type extends string>(type: Type) =>
  Schema.Struct({
    type: Schema.Literal(type),
    channels: Schema.Array(Channel),
    symbols: Schema.Array(Schema.String),
    /** With `level2` alone. */
    sig_figs: Schema.optionalKey(Schema.Array(SigFigs)),
    /** With `candle` alone. */
    intervals: Schema.optionalKey(Schema.Array(Interval))
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
