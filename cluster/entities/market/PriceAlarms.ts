/** What an operator must hear of a market's prices: none comes any more, or none that is believed (rule 3.1, rule 3.5). */
import type { MarketEvent, Priced } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { alarmingRejections } from "@venue/domain/Oracle"
import { Effect } from "effect"

/**
 * Says each change once, as of the first price that is heard. A price that is stale because its hours have just begun is
 * no alarm for a minute: the first is on its way.
 */
export const make = (symbol: MarketSymbol, say: (line: Effect.Effect<void>) => void) => {
  let last: Priced | undefined
  /** The price turned stale so many times. */
  let times = 0
  return (events: ReadonlyArray<MarketEvent>): void => {
    for (const event of events) {
      if (event._tag !== "Priced") continue
      const before = last
      last = event
      if (event.source === "stale" && before?.source !== "stale") {
        const time = ++times
        const isStill = () => last?.source === "stale" && times === time
        say(
          before?.source === "external" ? silent(symbol) : Effect.delay(whenStill(isStill, silent(symbol)), "1 minute")
        )
      }
      const line = before === undefined ? undefined : changed(symbol, before, event)
      if (line !== undefined) say(line)
    }
  }
}

const whenStill = (isStill: () => boolean, line: Effect.Effect<void>) =>
  Effect.suspend(() => (isStill() ? line : Effect.void))

function silent(symbol: MarketSymbol): Effect.Effect<void> {
  return Effect.logError(`market ${symbol}: no outside price has come for a minute; only reducing orders are taken`)
}

function changed(symbol: MarketSymbol, before: Priced, now: Priced): Effect.Effect<void> | undefined {
  if (now.rejections === alarmingRejections && before.rejections < alarmingRejections)
    return Effect.logError(
      `market ${symbol}: outside prices are far from the last one, which is held; an operator's price decides`
    )
  if (now.source === "external" && before.source === "stale")
    return Effect.logWarning(`market ${symbol}: outside prices come again`)
  return undefined
}
