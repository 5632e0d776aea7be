/** Finds the markets whose tables for queries contain every event before a given day. */
import { dayMillis } from "@venue/domain/Day"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { MarketProjection } from "@venue/storage/history/Projection"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Effect } from "effect"
import { Feed } from "../feed/Feed.ts"
import { VenueSettings } from "../VenueSettings.ts"

/** Upper bound of clock differences between nodes. This long after midnight, the previous day's rows are complete. */
export const afterMillis = 30_000

/** Checks one group's tables for the days before `day`. */
export const make = Effect.fnUntraced(function* (group: MarketProjection, day: number) {
  const feed = yield* Feed
  const tables = yield* ReadTables
  const { instruments } = yield* VenueSettings
  const completeFromMillis = day * dayMillis + afterMillis
  /** Last row of the previous day, or a later row, for markets whose tables have not caught up yet. */
  const heads = new Map<MarketSymbol, number>()
  const passed = new Set<MarketSymbol>()

  const check = Effect.fnUntraced(function* (symbol: MarketSymbol) {
    const head = feed.head(symbol)
    if (head !== undefined && head.aliveAtMillis >= completeFromMillis && !heads.has(symbol))
      heads.set(symbol, head.seq)
    const seq = heads.get(symbol)
    if (seq !== undefined && (yield* tables.position(group, symbol)) >= seq) passed.add(symbol)
  })
  return {
    /**
     * Returns a predicate that is true for markets whose tables contain every event before the day. It is also true
     * for an unlisted symbol, which has no log.
     */
    passed: Effect.gen(function* () {
      yield* Effect.forEach(
        [...instruments.keys()].filter((symbol) => !passed.has(symbol)),
        check,
        { discard: true }
      )
      return (symbol: MarketSymbol) => passed.has(symbol) || !instruments.has(symbol)
    })
  }
})
