/** What markets hold of a desk's traders: each market is asked for many of them in one call, until every one has its view. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect, Result } from "effect"
import { MarketClient } from "../../../clients/MarketClient.ts"
import { Feed } from "../../../feed/Feed.ts"
import { maxViewers, type TraderView, type Viewer } from "../../../protocol/Market.ts"

/** A trader that has to know what one market holds of it. */
export interface Asking {
  readonly viewer: () => Viewer
  /** False once the trader is gone. */
  readonly isWanted: () => boolean
  /**
   * Takes what the market held as of `seq`; the feed had told up to `toldSeq` when it was asked. False when rows are missing
   * between, so that another view is needed.
   */
  readonly take: (view: TraderView, seq: number, toldSeq: number) => boolean
}

export interface Views {
  readonly ask: (symbol: MarketSymbol, asking: Asking) => void
}

export const make = Effect.gen(function* () {
  const feed = yield* Feed
  const markets = yield* MarketClient
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const waiting = new Map<MarketSymbol, Set<Asking>>()

  /** It does not go live: what the market says and what is known here contradict each other. */
  const contradicted = (symbol: MarketSymbol, { userId }: Viewer, defect: unknown) =>
    run(Effect.logError(`user ${userId} cannot take what ${symbol} says`, defect))

  /** Asks for as many as one call may name; false when somebody of them has no view yet. */
  const askSome = (symbol: MarketSymbol, askings: Set<Asking>): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const group = next(askings)
      if (group.length === 0) return Effect.succeed(true)
      // A feed begins at some row: what came between an older view and that row would be told by neither.
      const toldSeq = feed.head(symbol)?.seq
      if (toldSeq === undefined) return Effect.succeed(false)
      const viewers = group.map(({ viewer }) => viewer())
      return Effect.match(markets.view(symbol, viewers), {
        onFailure: () => false,
        onSuccess: ({ seq, traders }) => {
          let isWhole = true
          traders.forEach((view, index) => {
            const asking = group[index]!
            if (!asking.isWanted()) return
            const fits = Result.try(() => asking.take(view, seq, toldSeq))
            if (Result.isFailure(fits)) contradicted(symbol, viewers[index]!, fits.failure)
            if (Result.isSuccess(fits) && !fits.success) isWhole = false
            else askings.delete(asking)
          })
          return isWhole
        }
      })
    })

  /** A fault of ours is no reason to ask this market no more: nobody who waits for it would ever be served. */
  const guarded = (symbol: MarketSymbol, askings: Set<Asking>) =>
    Effect.catchDefect(askSome(symbol, askings), (defect) =>
      Effect.as(
        Effect.andThen(
          Effect.logError(`what ${symbol} holds of its traders could not be asked; it is asked again`, defect),
          Effect.sleep(faultPauseMillis)
        ),
        false
      )
    )

  const askAll = Effect.fnUntraced(function* (symbol: MarketSymbol, askings: Set<Asking>) {
    // All that is asked for in this turn leaves in one call.
    yield* Effect.yieldNow
    while (askings.size > 0) if (!(yield* guarded(symbol, askings))) yield* Effect.sleep(pauseMillis)
    waiting.delete(symbol)
  })

  return {
    ask: (symbol, asking) => {
      const found = waiting.get(symbol)
      if (found !== undefined) return void found.add(asking)
      const askings = new Set([asking])
      waiting.set(symbol, askings)
      run(Effect.forkIn(askAll(symbol, askings), scope))
    }
  } satisfies Views as Views
})

/** The first that are still wanted; the others are forgotten. */
const next = (askings: Set<Asking>): ReadonlyArray<Asking> => {
  const group: Array<Asking> = []
  for (const asking of askings) {
    if (group.length === maxViewers) break
    if (asking.isWanted()) group.push(asking)
    else askings.delete(asking)
  }
  return group
}

/** A market that did not answer, or whose view was too old, is asked again after this. */
const pauseMillis = 50
/** What goes wrong on our side is likely to do so again, and each time is logged. */
const faultPauseMillis = 1_000
