/**
 * What takes money from an account is decided on all that its markets have committed by now (invariants I11, I17, I27): a
 * fill, an hour of funding or a liquidation that this node was not told yet may have taken it.
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
 * The heads are asked of the journal itself: a market that has lost its log and does not know it yet would name an old one.
 * Nothing was decided when this fails, which it does before whoever asks gives up.
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
      Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(behind()) })
    )
  }
})

/** Whoever asks a desk waits two seconds. */
const patience = "1500 millis"
