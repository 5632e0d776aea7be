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
  /** The operator was told that none comes, and not yet that they come again. */
  let isSilent = false

  /** Looks whether it is still the same silence. */
  const tellSilence = (time: number) =>
    Effect.suspend(() => {
      if (last?.source !== "stale" || times !== time) return Effect.void
      isSilent = true
      return Effect.logError(`market ${symbol}: no outside price has come for a minute; only reducing orders are taken`)
    })
  const hear = (before: Priced | undefined, now: Priced) => {
    if (now.source === "stale" && before?.source !== "stale") {
      const silence = tellSilence(++times)
      say(before?.source === "external" ? silence : Effect.delay(silence, "1 minute"))
    }
    if (now.source === "external" && isSilent) {
      isSilent = false
      say(Effect.logWarning(`market ${symbol}: outside prices come again`))
    }
    if (now.rejections === alarmingRejections && before !== undefined && before.rejections < alarmingRejections)
      say(
        Effect.logError(
          `market ${symbol}: outside prices are far from the last one, which is held; an operator's price decides`
        )
      )
  }
  return (events: ReadonlyArray<MarketEvent>): void => {
    for (const event of events) {
      if (event._tag !== "Priced") continue
      const before = last
      last = event
      hear(before, event)
    }
  }
}
