/** Delays a read until the trader has applied the market rows that the reader's node has already published. */
import { Effect } from "effect"
import type { Feed } from "../../../feed/Feed.ts"
import type { Head } from "../../../protocol/Desk.ts"
import type { Trader } from "./Trader.ts"

/** Whether the trader has applied every row up to these heads. Ignores markets that the trader has not joined. */
export const hasReached = (feed: Feed["Service"], trader: Trader, heads: ReadonlyArray<Head>): boolean => {
  const ahead = heads.filter(({ seq, symbol }) => (feed.head(symbol)?.seq ?? 0) < seq)
  if (ahead.length === 0) return true
  const joined = new Set(trader.symbols())
  return !ahead.some(({ symbol }) => joined.has(symbol))
}

/** Waits until `hasReached` is true, without a deadline of its own. */
export const awaitReached = (feed: Feed["Service"], trader: Trader, heads: ReadonlyArray<Head>): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (hasReached(feed, trader, heads)) return Effect.void
    return Effect.callback<void>((resume) => {
      const check = () => {
        if (hasReached(feed, trader, heads)) resume(Effect.void)
      }
      // The feed calls its watchers after its followers, so the trader has already applied the row.
      return Effect.sync(feed.watch(check, check))
    })
  })
