/** Mark prices of the last day of every market. */
import type { Feed } from "@venue/cluster/feed/Feed"
import type { Journal } from "@venue/journal/Journal"
import * as Prices from "@venue/storage/history/Prices"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import { Context, Effect, Layer } from "effect"
import * as Marks from "./Marks.ts"
import * as Recent from "./Recent.ts"

export class RecentMarks extends Context.Service<RecentMarks, Recent.Recent<Marks.Marks>>()(
  "@venue/gateway/marketData/RecentMarks"
) {
  static readonly layer: Layer.Layer<RecentMarks, never, Feed | Journal | ReadTables> = Layer.effect(
    RecentMarks,
    Effect.suspend(() => Recent.make(kind))
  )
}

const kind: Recent.Kind<Marks.Marks> = {
  table: (read, symbol, nowMinute) =>
    Effect.map(read(Prices.marksFrom(symbol, nowMinute - Marks.dayMinutes)), ({ marks, position }) => ({
      position,
      oldestMinute: marks[0]?.minute ?? Infinity,
      of: (splits) => Marks.of(marks, splits)
    })),
  take: (marks, event) => {
    if (event._tag === "Priced") Marks.take(marks, event.atMillis, event.markE8)
    else if (event._tag === "ContractSplit") Marks.split(marks, event)
  }
}
