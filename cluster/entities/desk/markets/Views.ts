/** Requests views of a desk's traders from the markets, many traders per call, until each trader has its view. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect, Result, identity } from "effect"
import { MarketClient } from "../../../clients/MarketClient.ts"
import { Feed } from "../../../feed/Feed.ts"
import { maxViewers, type TraderView, type Viewer } from "../../../protocol/Market.ts"

/** A trader's request for its view in one market. */
export interface ViewRequest {
  readonly viewer: () => Viewer
  /** Whether the trader is still loaded. */
  readonly isWanted: () => boolean
  /**
   * Adopts the view as of row `seq`. `feedSeq` is the feed's row at the time of the request. Returns false if rows
   * between the view and the feed are missing and another view is needed.
   */
  readonly take: (view: TraderView, seq: number, feedSeq: number) => boolean
}

export interface Views {
  /** Requests a view and calls `take` with it. */
  readonly request: (symbol: MarketSymbol, request: ViewRequest) => void
}

export const make = Effect.gen(function* () {
  const feed = yield* Feed
  const markets = yield* MarketClient
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const waiting = new Map<MarketSymbol, Set<ViewRequest>>()

  /** A market does not become live for a trader whose ledger contradicts the view. */
  const logContradiction = (symbol: MarketSymbol, { userId }: Viewer, defect: unknown) =>
    run(
      Effect.logError(
        `user ${userId}: the account states that market ${symbol} sent contradict the ledger; the market stays unavailable to the user`,
        defect
      )
    )

  /** Requests views for one group. Returns false if any trader in it still has no view. */
  const requestGroup = (symbol: MarketSymbol, requests: Set<ViewRequest>): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const group = next(requests)
      if (group.length === 0) return Effect.succeed(true)
      // Before the feed has a row, rows between an older view and the feed's first row would be lost.
      const feedSeq = feed.head(symbol)?.seq
      if (feedSeq === undefined) return Effect.succeed(false)
      const viewers = group.map(({ viewer }) => viewer())
      return Effect.match(markets.view(symbol, viewers), {
        onFailure: () => false,
        onSuccess: ({ seq, traders }) => {
          let isWhole = true
          traders.forEach((view, index) => {
            const request = group[index]!
            if (!request.isWanted()) return
            const adopted = Result.try(() => request.take(view, seq, feedSeq))
            if (Result.isFailure(adopted)) logContradiction(symbol, viewers[index]!, adopted.failure)
            if (Result.isSuccess(adopted) && !adopted.success) isWhole = false
            else requests.delete(request)
          })
          return isWhole
        }
      })
    })

  /** Continues after a defect, because the waiting traders would otherwise never become live. */
  const guarded = (symbol: MarketSymbol, requests: Set<ViewRequest>) =>
    Effect.catchDefect(requestGroup(symbol, requests), (defect) =>
      Effect.as(
        Effect.andThen(
          Effect.logError(
            `the request for account states from market ${symbol} threw an error; retrying in ${faultPauseMillis / 1_000} s`,
            defect
          ),
          Effect.sleep(faultPauseMillis)
        ),
        false
      )
    )

  const requestAll = Effect.fnUntraced(function* (symbol: MarketSymbol, requests: Set<ViewRequest>) {
    // Collects the requests from this turn of the event loop into one call.
    yield* Effect.yieldNow
    while (requests.size > 0) if (!(yield* guarded(symbol, requests))) yield* Effect.sleep(pauseMillis)
    waiting.delete(symbol)
  })

  return identity<Views>({
    request: (symbol, request) => {
      const queued = waiting.get(symbol)
      if (queued !== undefined) return void queued.add(request)
      const requests = new Set([request])
      waiting.set(symbol, requests)
      run(Effect.forkIn(requestAll(symbol, requests), scope))
    }
  })
})

/** Returns the first group of requests that are still wanted, and removes the unwanted requests before them. */
const next = (requests: Set<ViewRequest>): ReadonlyArray<ViewRequest> => {
  const group: Array<ViewRequest> = []
  for (const request of requests) {
    if (group.length === maxViewers) break
    if (request.isWanted()) group.push(request)
    else requests.delete(request)
  }
  return group
}

/** Delay after a failed call or an outdated view. */
const pauseMillis = 50
/** Delay after a defect, which is likely to repeat and is logged each time. */
const faultPauseMillis = 1_000
