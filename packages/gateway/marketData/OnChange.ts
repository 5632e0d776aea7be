/**
 * Timing of a channel that sends on change, at most once per `everyMillis`. Repeats an unchanged value after
 * `repeatMillis`, because clients treat a silent channel as a dead connection.
 */
import type { Batch } from "@venue/cluster/feed/Batch"
import * as Beat from "@venue/cluster/feed/Beat"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Clock, Effect, identity } from "effect"
import type * as Streams from "./Streams.ts"

export interface Changing {
  /** Minimum time between two frames of a symbol. */
  readonly everyMillis: number
  /** Time without a change after which the latest value is repeated. */
  readonly repeatMillis: number
  /** True for a batch that might change the value. */
  readonly concerns: (batch: Batch) => boolean
  /** Returns a text that differs exactly when the value differs, ignoring the value's time. */
  readonly fingerprint: (symbol: MarketSymbol) => string
}

export interface OnChange {
  readonly observe: (batch: Batch) => void
  /** Records that a symbol's value might have changed. */
  readonly markChanged: (symbol: MarketSymbol) => void
  /** Starts the repeat timer of each symbol when the channel gets a subscriber. */
  readonly start: () => void
  /** Repeats the values of the symbols that are due. Called every `repeatStepMillis`. */
  readonly repeat: () => void
  /** Stops the repeats when the channel has no subscriber. */
  readonly stop: () => void
}

export const repeatStepMillis = 500

export const make = Effect.fnUntraced(function* (
  { concerns, everyMillis, repeatMillis, fingerprint }: Changing,
  pulse: (valueOf: Streams.ValueOf) => void,
  latest: Streams.ValueOf,
  symbols: Iterable<MarketSymbol>
) {
  const clock = yield* Clock.Clock
  /** Time of the last frame of each symbol; empty while the channel has no subscriber. */
  const sentMillis = new Map<MarketSymbol, number>()
  const send = (due: ReadonlySet<MarketSymbol>) => {
    if (due.size === 0) return
    for (const symbol of due) if (sentMillis.has(symbol)) sentMillis.set(symbol, clock.currentTimeMillisUnsafe())
    pulse((topic) => (due.has(topic.symbol) ? latest(topic) : undefined))
  }
  /** Symbols whose value might have changed since the last timer tick. */
  const maybeChanged = new Set<MarketSymbol>()
  const lastOf = new Map(Array.from(symbols, (symbol) => [symbol, fingerprint(symbol)]))
  const hasChanged = (symbol: MarketSymbol): boolean => {
    const now = fingerprint(symbol)
    const before = lastOf.get(symbol)
    lastOf.set(symbol, now)
    return before !== now
  }
  const beat = yield* Beat.make(
    everyMillis,
    Effect.sync(() => {
      const changed = new Set([...maybeChanged].filter(hasChanged))
      maybeChanged.clear()
      send(changed)
      return false
    })
  )
  const markChanged = (symbol: MarketSymbol) => {
    // A contract that was listed while the channel has subscribers is repeated like the others.
    if (!lastOf.has(symbol) && sentMillis.size > 0) sentMillis.set(symbol, clock.currentTimeMillisUnsafe())
    maybeChanged.add(symbol)
    beat.start()
  }
  return identity<OnChange>({
    observe: (batch) => {
      if (concerns(batch)) markChanged(batch.instrument.symbol)
    },
    markChanged,
    start: () => {
      const now = clock.currentTimeMillisUnsafe()
      for (const symbol of lastOf.keys()) if (!sentMillis.has(symbol)) sentMillis.set(symbol, now)
    },
    repeat: () => {
      const lastDueMillis = clock.currentTimeMillisUnsafe() - repeatMillis + repeatStepMillis
      send(new Set([...sentMillis].flatMap(([symbol, millis]) => (millis < lastDueMillis ? symbol : []))))
    },
    stop: () => sentMillis.clear()
  })
})
