/** Trades in the last 1,500 minutes of every market. */
import * as Candles from "@venue/storage/history/Candles"
import type { Feed } from "@venue/cluster/feed/Feed"
import type { Journal } from "@venue/journal/Journal"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import { Context, Effect, Layer } from "effect"
import * as Minutes from "./Minutes.ts"
import * as Recent from "./Recent.ts"

export class RecentTrades extends Context.Service<RecentTrades, Recent.Recent<Minutes.Minutes>>()(
  "@venue/gateway/marketData/RecentTrades"
) {
  static readonly layer: Layer.Layer<RecentTrades, never, Feed | Journal | ReadTables> = Layer.effect(
    RecentTrades,
    Effect.suspend(() => Recent.make(kind))
  )
}

const kind: Recent.Kind<Minutes.Minutes> = {
  table: Effect.fnUntraced(function* (read, symbol, nowMinute) {
    const afterMinute = nowMinute - Minutes.keptMinutes
    const before = yield* read(Candles.lastBefore(symbol, afterMinute + 1))
    const { candles, position } = yield* read(Candles.recent(symbol, afterMinute))
    const beforeTicks = before?.closeTicks ?? 0
    return {
      position,
      oldestMinute: before?.minute ?? candles[0]?.minute ?? Infinity,
      of: (splits) => Minutes.of(candles, beforeTicks, splits)
    }
  }),
  take: (minutes, event) => {
    if (event._tag === "Traded") Minutes.take(minutes, event)
    else if (event._tag === "ContractSplit") Minutes.split(minutes, event)
  }
}
