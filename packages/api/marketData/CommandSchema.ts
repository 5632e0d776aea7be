/** Schemas of the market-data socket's commands, which `Subscription.ts` decodes by hand. */
import { Schema } from "effect"

/** Channel of the market-data socket. */
export const Channel = Schema.Literals([
  "level2",
  "bbo",
  "trade",
  "mark_price",
  "candle",
  "underlier",
  "funding",
  "open_interest",
  "minmax_price",
  "market_stats"
])
export type Channel = typeof Channel.Type

/** Grouping of a book's levels. */
export const SigFigs = Schema.Literals([0, 1, 2]).annotate({
  description: "Grouping of prices: 0 for single ticks, 1 for groups of 10 ticks, 2 for groups of 100 ticks."
})
export type SigFigs = typeof SigFigs.Type

/** Length of a candle's window. */
export const Interval = Schema.Literals(["1MIN", "5MINS", "15MINS", "30MINS", "1HOUR", "4HOURS", "1DAY"]).annotate({
  description: "Length of a candle's window. Windows start at whole multiples of the length since 1970-01-01T00:00:00Z."
})
export type Interval = typeof Interval.Type

const streams = <const Type extends string>(type: Type) =>
  Schema.Struct({
    type: Schema.Literal(type),
    channels: Schema.NonEmptyArray(Channel).annotate({ description: "Names of channels." }),
    symbols: Schema.NonEmptyArray(Schema.String).annotate({ description: "Symbols of markets, or * for all markets." }),
    sig_figs: Schema.optionalKey(
      Schema.NullOr(Schema.Array(SigFigs)).annotate({
        description: "Price groupings for the `level2` channel; default [0]."
      })
    ),
    intervals: Schema.optionalKey(
      Schema.NullOr(Schema.Array(Interval)).annotate({
        description: "Candle intervals; at least one is required for the `candle` channel."
      })
    )
  })

/** Subscribes to every channel in the message for every symbol in the message. */
export const Subscribe = streams("subscribe")
export type Subscribe = typeof Subscribe.Type

/** Unsubscribes from every channel in the message for every symbol in the message. */
export const Unsubscribe = streams("unsubscribe")
export type Unsubscribe = typeof Unsubscribe.Type

/** Command of the market-data socket. */
export const Command = Schema.Union([Subscribe, Unsubscribe])
export type Command = typeof Command.Type
