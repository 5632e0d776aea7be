/** A question says what its asker has been told. It is answered once this node's feed has told its trader no less. */
import { Effect } from "effect"
import type { Feed } from "../../../feed/Feed.ts"
import type { Head } from "../../../protocol/Desk.ts"
import type { Trader } from "./Trader.ts"

/** Whether the trader knows all that stands in these rows: of a market it has not joined there is nothing to know. */
export const areTold = (feed: Feed["Service"], trader: Trader, heads: ReadonlyArray<Head>): boolean => {
  const ahead = heads.filter(({ seq, symbol }) => (feed.head(symbol)?.seq ?? 0) < seq)
  if (ahead.length === 0) return true
  const joined = new Set(trader.symbols())
  return !ahead.some(({ symbol }) => joined.has(symbol))
}

/** Waits until it does; whoever waits sets the bound. */
export const told = (feed: Feed["Service"], trader: Trader, heads: ReadonlyArray<Head>): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (areTold(feed, trader, heads)) return Effect.void
    return Effect.callback<void>((resume) => {
      const look = () => {
        if (areTold(feed, trader, heads)) resume(Effect.void)
      }
      // A watcher is told after the traders, so that they know what its row says.
      return Effect.sync(feed.watch(look, look))
    })
  })
