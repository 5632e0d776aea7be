/** Somebody who tells prices from outside, contract by contract. */
import type { Priced } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Context, type Effect } from "effect"

/** A price of one contract, in 1e-8 USD, as its source names the contract. */
export interface Print {
  readonly contract: string
  readonly priceE8: number
  /** The quote's own time in Unix milliseconds; left out where the source names none. */
  readonly quotedAtMillis?: number
}

/**
 * What a symbol's price is made of, by the names of the source: a price on the spot, the future of an index, or the
 * future that is the front one in each month, written `2026-11`.
 */
export type Contracts =
  | { readonly spot: string }
  | { readonly future: string }
  | { readonly months: Readonly<Record<string, string>> }

/** Whoever hears the sources. */
export interface Listener {
  readonly tell: (print: Print) => void
  /** The prices in force, or undefined before the first. */
  readonly inForce: (symbol: MarketSymbol) => Priced | undefined
}

export interface PriceSource {
  readonly name: string
  readonly symbols: ReadonlyMap<MarketSymbol, Contracts>
  /** An alarm is raised when a price stays the same for this long within hours; left out, it never is. */
  readonly unchangedMillis?: number
  /** Goes on for ever, whatever becomes of the other side. */
  readonly run: (listener: Listener) => Effect.Effect<never>
}

/** All sources of the venue. */
export interface Sources {
  readonly sources: ReadonlyArray<PriceSource>
  /** So many of those that have a symbol must have spoken lately, or all where there are fewer (rule 3.7). */
  readonly leastSources: number
}

/** There are none unless an app says which. */
export const PriceSources = Context.Reference<Sources>("@venue/providers/prices/PriceSources", {
  defaultValue: () => ({ sources: [], leastSources: 1 })
})
