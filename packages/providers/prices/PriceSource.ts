/** Interface of an external price source. */
import type { Priced } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Context, type Effect, Stream } from "effect"

/** Price of one contract, in 1e-8 USD; `contract` is the source's name for the contract. */
export interface Print {
  readonly contract: string
  readonly priceE8: number
  /** Time of the quote, in Unix milliseconds; absent if the source sends no time. */
  readonly quotedAtMillis?: number
}

/**
 * Source contracts from which a symbol's price derives: a spot price, an index future, or the front-month future of
 * each month, by month (such as `2026-11`).
 */
export type Contracts =
  | { readonly spot: string }
  | { readonly future: string }
  | { readonly months: Readonly<Record<string, string>> }

export interface Listener {
  readonly tell: (print: Print) => void
  /** Returns the symbol's current price, or undefined before the first price. */
  readonly inForce: (symbol: MarketSymbol) => Priced | undefined
}

export interface PriceSource {
  readonly name: string
  readonly symbols: ReadonlyMap<MarketSymbol, Contracts>
  /**
   * Time within trading hours after which an unchanged price raises an alarm, in milliseconds. Undefined disables the
   * alarm.
   */
  readonly unchangedMillis?: number
  /** Returns the reason of the latest failure, without secrets; undefined while the source works. */
  readonly fault?: () => string | undefined
  /** Runs forever and reconnects after every failure. */
  readonly run: (listener: Listener) => Effect.Effect<never>
}

export interface Sources {
  readonly sources: ReadonlyArray<PriceSource>
  /**
   * Minimum number of a symbol's sources that must have a recent price. If a symbol has fewer sources, all of its
   * sources must have one (rule 3.7).
   */
  readonly leastSources: number
}

/** Streams the sources in force, and each later replacement. Empty unless an app provides sources. */
export const PriceSources = Context.Reference<Stream.Stream<Sources>>("@venue/providers/prices/PriceSources", {
  defaultValue: () => Stream.succeed({ sources: [], leastSources: 1 })
})
