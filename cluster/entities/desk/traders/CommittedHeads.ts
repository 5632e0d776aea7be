/**
 * Delays a debit from an account until the trader has applied every committed row of its markets (invariants I11,
 * I17, I27). A fill, funding or a liquidation that this node has not received yet might have used the money.
 */
import { marketStream } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import { Effect } from "effect"
import { Feed } from "../../../feed/Feed.ts"
import { MarketsBehind } from "../../../protocol/Desk.ts"
import { awaitReached } from "./ReadBarrier.ts"
import type { Trader } from "./Trader.ts"
import { live } from "./TraderCalls.ts"

/**
 * Reads the heads from the journal itself, because a market that lost its log unnoticed would return an old head.
 * Fails with `MarketsBehind` before the caller's deadline, in which case nothing is decided.
 */
export const make = Effect.gen(function* () {
  const feed = yield* Feed
  const journal = yield* Journal
  const reached = Effect.fnUntraced(function* (trader: Trader) {
    yield* live(trader)
    const symbols = trader.symbols()
    const seqs = yield* journal.heads(symbols.map(marketStream))
    const heads = symbols.map((symbol, index) => ({ symbol, seq: seqs[index]! }))
    yield* awaitReached(feed, trader, heads)
  })
  return (trader: Trader): Effect.Effect<void, MarketsBehind> => {
    const behind = () => new MarketsBehind({ userId: trader.userId })
    return reached(trader).pipe(
      Effect.mapError(behind),
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(behind()) })
    )
  }
})

/** Shorter than the deadline of a call to a desk, which is 2 s. */
const timeout = "1500 millis"
