/** Every command of the market-data socket as it travels: the contract that `Subscription.ts` reads by hand. */
import { Schema } from "effect"

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

export const SigFigs = Schema.Literals([0, 1, 2]).annotate({
  description: "How many decimal places above the tick prices are grouped by."
})
export type SigFigs = typeof SigFigs.Type

export const Interval = Schema.Literals(["1MIN", "5MINS", "15MINS", "30MINS", "1HOUR", "4HOURS", "1DAY"]).annotate({
  description: "How long the windows of a candle are; they begin at whole multiples of that since 1970."
})
export type Interval = typeof Interval.Type

const streams = <const Type extends string>(type: Type) =>
  Schema.Struct({
    type: Schema.Literal(type),
    channels: Schema.NonEmptyArray(Channel),
    symbols: Schema.NonEmptyArray(Schema.String).annotate({ description: "Names, or * for all." }),
    sig_figs: Schema.optionalKey(
      Schema.NullOr(Schema.Array(SigFigs)).annotate({ description: "Of level2 alone, where leaving it out means 0." })
    ),
    intervals: Schema.optionalKey(
      Schema.NullOr(Schema.Array(Interval)).annotate({ description: "Of candle alone, which needs one at least." })
    )
  })

export const Subscribe = streams("subscribe")
export type Subscribe = typeof Subscribe.Type

export const Unsubscribe = streams("unsubscribe")
export type Unsubscribe = typeof Unsubscribe.Type

export const Command = Schema.Union([Subscribe, Unsubscribe])
export type Command = typeof Command.Type
