/** A channel that is told where it says something else than it said last, and at most so often. */
import type { Batch } from "@venue/cluster/clients/LocalEntities"
import * as Beat from "@venue/cluster/protocol/Beat"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect } from "effect"
import type * as Streams from "./Streams.ts"

export interface Changing {
  readonly everyMillis: number
  /** A row may change what is said. */
  readonly concerns: (batch: Batch) => boolean
  /** Two texts differ where what is said does, its time apart. */
  readonly said: (symbol: MarketSymbol) => string
}

export interface OnChange {
  readonly observe: (batch: Batch) => void
  /** All of a symbol may be different now. */
  readonly moved: (symbol: MarketSymbol) => void
}

export const make = Effect.fnUntraced(function* (
  { concerns, everyMillis, said }: Changing,
  pulse: (valueOf: Streams.ValueOf) => void,
  latest: Streams.ValueOf,
  symbols: Iterable<MarketSymbol>
) {
  /** These are to be looked at. */
  const movedSymbols = new Set<MarketSymbol>()
  const lastOf = new Map(Array.from(symbols, (symbol) => [symbol, said(symbol)]))
  const hasChanged = (symbol: MarketSymbol): boolean => {
    const now = said(symbol)
    const before = lastOf.get(symbol)
    lastOf.set(symbol, now)
    return before !== now
  }
  const beat = yield* Beat.make(
    everyMillis,
    Effect.sync(() => {
      const changed = new Set([...movedSymbols].filter(hasChanged))
      movedSymbols.clear()
      if (changed.size > 0) pulse((topic) => (changed.has(topic.symbol) ? latest(topic) : undefined))
      return false
    })
  )
  const moved = (symbol: MarketSymbol) => {
    movedSymbols.add(symbol)
    beat.start()
  }
  return {
    observe: (batch) => {
      if (concerns(batch)) moved(batch.instrument.symbol)
    },
    moved
  } satisfies OnChange as OnChange
})
