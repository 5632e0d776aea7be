/** Which markets have told all of the days before one, and whose tables have it. */
import { dayMillis } from "@venue/domain/Day"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { MarketProjection } from "@venue/storage/history/Projection"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Effect } from "effect"
import { Feed } from "../feed/Feed.ts"
import { VenueSettings } from "../VenueSettings.ts"

/** Clocks of nodes differ by less: what a market recorded as of the day before has been heard by then. */
export const afterMillis = 30_000

/** Of the tables of one group, and the days before `day`. */
export const make = Effect.fnUntraced(function* (group: MarketProjection, day: number) {
  const feed = yield* Feed
  const tables = yield* ReadTables
  const { instruments } = yield* VenueSettings
  const heardFromMillis = day * dayMillis + afterMillis
  /** They were heard late enough to have told all of the day before, and the tables lack rows up to these. */
  const heads = new Map<MarketSymbol, number>()
  const passed = new Set<MarketSymbol>()

  const look = Effect.fnUntraced(function* (symbol: MarketSymbol) {
    const head = feed.head(symbol)
    if (head !== undefined && head.heardAtMillis >= heardFromMillis && !heads.has(symbol)) heads.set(symbol, head.seq)
    const seq = heads.get(symbol)
    if (seq !== undefined && (yield* tables.position(group, symbol)) >= seq) passed.add(symbol)
  })
  return {
    /** What is not listed has no log to wait for. */
    passed: Effect.gen(function* () {
      yield* Effect.forEach(
        [...instruments.keys()].filter((symbol) => !passed.has(symbol)),
        look,
        { discard: true }
      )
      return (symbol: MarketSymbol) => passed.has(symbol) || !instruments.has(symbol)
    })
  }
})
