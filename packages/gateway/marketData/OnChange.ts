/**
 * A channel whose frames are sent on change, with a least time between two of them, and repeated after a most time without one:
 * clients take a silent channel for a dead connection.
 */
import type { Batch } from "@venue/cluster/feed/Batch"
import * as Beat from "@venue/cluster/feed/Beat"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Clock, Effect } from "effect"
import type * as Streams from "./Streams.ts"

export interface Changing {
  readonly everyMillis: number
  /** Time without a change after which the latest value is repeated. */
  readonly repeatMillis: number
  /** A row may change what is said. */
  readonly concerns: (batch: Batch) => boolean
  /** Two texts differ where what is said does, its time apart. */
  readonly said: (symbol: MarketSymbol) => string
}

export interface OnChange {
  readonly observe: (batch: Batch) => void
  /** All of a symbol may be different now. */
  readonly moved: (symbol: MarketSymbol) => void
  /** Counts from now on for symbols that nobody heard so far. */
  readonly heard: () => void
  /** Repeats the symbols that are due, at a step of `repeatStepMillis`. */
  readonly repeat: () => void
  /** Nobody hears the channel now. */
  readonly unheard: () => void
}

export const repeatStepMillis = 500

export const make = Effect.fnUntraced(function* (
  { concerns, everyMillis, repeatMillis, said }: Changing,
  pulse: (valueOf: Streams.ValueOf) => void,
  latest: Streams.ValueOf,
  symbols: Iterable<MarketSymbol>
) {
  const clock = yield* Clock.Clock
  /** When each symbol was sent last; empty while nobody hears the channel. */
  const sentMillis = new Map<MarketSymbol, number>()
  const send = (due: ReadonlySet<MarketSymbol>) => {
    if (due.size === 0) return
    for (const symbol of due) if (sentMillis.has(symbol)) sentMillis.set(symbol, clock.currentTimeMillisUnsafe())
    pulse((topic) => (due.has(topic.symbol) ? latest(topic) : undefined))
  }
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
      send(changed)
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
    moved,
    heard: () => {
      const now = clock.currentTimeMillisUnsafe()
      for (const symbol of lastOf.keys()) if (!sentMillis.has(symbol)) sentMillis.set(symbol, now)
    },
    repeat: () => {
      const lastDueMillis = clock.currentTimeMillisUnsafe() - repeatMillis + repeatStepMillis
      send(new Set([...sentMillis].flatMap(([symbol, millis]) => (millis < lastDueMillis ? symbol : []))))
    },
    unheard: () => sentMillis.clear()
  } satisfies OnChange as OnChange
})
