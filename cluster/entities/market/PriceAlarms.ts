/** Operator log lines about a market that receives no external prices, or only rejected ones (rule 3.1, rule 3.5). */
import type { MarketEvent, Priced } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { alarmingRejections } from "@venue/domain/Oracle"
import { Effect } from "effect"

/**
 * Returns an observer that logs each change in a market's events once. If the price is stale because trading hours
 * have just begun, waits one minute for the first price before logging.
 */
export const make = (symbol: MarketSymbol, log: (entry: Effect.Effect<void>) => void) => {
  let last: Priced | undefined
  /** Number of times that the price became stale. */
  let staleCount = 0
  /** True from the log line about missing prices until the line about their return. */
  let isSilent = false

  /** Logs missing prices unless a price has arrived since `staleCount` was `count`. */
  const logMissing = (count: number) =>
    Effect.suspend(() => {
      if (last?.source !== "stale" || staleCount !== count) return Effect.void
      isSilent = true
      return Effect.logError(
        `market ${symbol}: no external price for 1 minute; only orders that reduce positions are accepted`
      )
    })
  const compare = (before: Priced | undefined, now: Priced) => {
    if (now.source === "stale" && before?.source !== "stale") {
      const missing = logMissing(++staleCount)
      log(before?.source === "external" ? missing : Effect.delay(missing, "1 minute"))
    }
    if (now.source === "external" && isSilent) {
      isSilent = false
      log(Effect.logWarning(`market ${symbol}: external prices arrive again`))
    }
    if (now.rejections === alarmingRejections && before !== undefined && before.rejections < alarmingRejections)
      log(
        Effect.logError(
          `market ${symbol}: external prices are too far from the last accepted one and are rejected; set an operator price to accept a new level`
        )
      )
  }
  return (events: ReadonlyArray<MarketEvent>): void => {
    for (const event of events) {
      if (event._tag !== "Priced") continue
      const before = last
      last = event
      compare(before, event)
    }
  }
}
