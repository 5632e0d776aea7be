/** Interface of a source of external prices. */
import type { Priced } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Context, type Effect } from "effect"

/** A price of one contract, in 1e-8 USD, under the source's name of the contract. */
export interface Print {
  readonly contract: string
  readonly priceE8: number
  /** Time of the quote in Unix milliseconds; absent if the source sends none. */
  readonly quotedAtMillis?: number
}

/**
 * Source contracts that a symbol's price derives from: a spot price, the future of an index, or the front future of
 * each month (`2026-11`).
 */
export type Contracts =
  | { readonly spot: string }
  | { readonly future: string }
  | { readonly months: Readonly<Record<string, string>> }

/** Receiver of prices. */
export interface Listener {
  readonly tell: (print: Print) => void
  /** Returns the prices in force; undefined before the first. */
  readonly inForce: (symbol: MarketSymbol) => Priced | undefined
}

export interface PriceSource {
  readonly name: string
  readonly symbols: ReadonlyMap<MarketSymbol, Contracts>
  /**
   * Time within trading hours after which an unchanged price raises an alarm, in milliseconds; without it there is no
   * such alarm.
   */
  readonly unchangedMillis?: number
  /** Runs for ever, reconnecting after every failure. */
  readonly run: (listener: Listener) => Effect.Effect<never>
}

/** All price sources of the venue. */
export interface Sources {
  readonly sources: ReadonlyArray<PriceSource>
  /** Minimum number of a symbol's sources with a recent price; all of them if there are fewer (rule 3.7). */
  readonly leastSources: number
}

/** Empty unless an app provides sources. */
export const PriceSources = Context.Reference<Sources>("@venue/providers/prices/PriceSources", {
  defaultValue: () => ({ sources: [], leastSources: 1 })
})
