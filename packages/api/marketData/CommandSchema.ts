/** Every command of the market-data socket as it travels: the contract that `Subscription.ts` reads by hand. */
import { Schema } from "effect"

export const Channel = Schema.Literals([
  "level2",
  "bbo",
  "trade",
  "mark_price",
  "underlier",
  "funding",
  "open_interest",
  "minmax_price"
])
export type Channel = typeof Channel.Type

/** How many decimal places above the tick prices are grouped by. */
export const SigFigs = Schema.Literals([0, 1, 2])
export type SigFigs = typeof SigFigs.Type

const streams = <const Type extends string>(type: Type) =>
  Schema.Struct({
    type: Schema.Literal(type),
    channels: Schema.NonEmptyArray(Channel),
    /** Names, or `*` for all. */
    symbols: Schema.NonEmptyArray(Schema.String),
    /** Of `level2` alone, where leaving it out means 0. */
    sig_figs: Schema.optionalKey(Schema.NullOr(Schema.Array(SigFigs)))
  })

export const Subscribe = streams("subscribe")
export type Subscribe = typeof Subscribe.Type

export const Unsubscribe = streams("unsubscribe")
export type Unsubscribe = typeof Unsubscribe.Type

export const Command = Schema.Union([Subscribe, Unsubscribe])
export type Command = typeof Command.Type
