/**
 * This node's copies of all markets' committed logs. Each row is applied once, in order and without gaps, whichever
 * node owns the market. Watched rows are checked by epoch and row number, and missing rows are read from the journal.
 */
import type { Instrument } from "@venue/domain/Instrument"
import type { Priced } from "@venue/domain/Market"
import * as Sampling from "@venue/domain/Sampling"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Journal } from "@venue/journal/Journal"
import * as OpenInterest from "@venue/domain/OpenInterest"
import type { TradingState } from "@venue/domain/TradingState"
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { Sharding } from "effect/cluster/Sharding"
import { FeedHeads } from "../clients/FeedHeads.ts"
import type { MarketClient } from "../clients/MarketClient.ts"
import type { Batch } from "./Batch.ts"
import type { LocalEntities } from "../clients/LocalEntities.ts"
import { type Limits, withLimits } from "@venue/domain/Limits"
import { VenueSettings } from "../VenueSettings.ts"
import * as FollowedLog from "./FollowedLog.ts"
import * as Followers from "./Followers.ts"
import * as OpenTakeovers from "./OpenTakeovers.ts"
import * as Watch from "./Watch.ts"

interface Watcher {
  readonly observe: (batch: Batch) => void
  readonly begun: (symbol: MarketSymbol) => void
}

export class Feed extends Context.Service<
  Feed,
  {
    readonly follow: Followers.Followers["follow"]
    readonly followMarket: Followers.Followers["followMarket"]
    /**
     * Passes every batch to a watcher, after the followers. Calls `begun` when a market's whole state was replaced. A
     * watcher that throws still receives the next batch. Returns a function that stops the watch.
     */
    readonly watch: (watcher: (batch: Batch) => void, begun?: (symbol: MarketSymbol) => void) => () => void
    /** Returns the newest row of a market that this node has applied; undefined before the market's first watch. */
    readonly head: (symbol: MarketSymbol) => FollowedLog.Head | undefined
    readonly prices: ReadonlyMap<MarketSymbol, Priced>
    /** Premium samples of the current funding hour, by market. */
    readonly sampling: ReadonlyMap<MarketSymbol, Sampling.Sampling>
    /** Time of each market's last contract split, or 0 before the first. */
    readonly splitMillis: ReadonlyMap<MarketSymbol, number>
    /** Open interest of all markets, valued at `prices`. */
    readonly openInterest: OpenInterest.OpenInterest
    /** Open takeovers by market: signed lots by takeover id. */
    readonly takeovers: ReadonlyMap<MarketSymbol, ReadonlyMap<string, number>>
    readonly tradingStates: ReadonlyMap<MarketSymbol, TradingState>
    /** Listed contracts with their current limits. */
    readonly instruments: ReadonlyMap<MarketSymbol, Instrument>
    /** Returns a live view of the book, or undefined for an unlisted symbol. */
    readonly depth: (symbol: MarketSymbol) => FollowedLog.FollowedLog["depth"] | undefined
  }
>()("@venue/cluster/feed/Feed") {
  static readonly layer: Layer.Layer<Feed, never, Journal | MarketClient | LocalEntities | Sharding> = Layer.effect(
    Feed,
    Effect.gen(function* () {
      const { instruments: listed } = yield* VenueSettings
      const instruments = new Map(listed)
      const clock = yield* Clock.Clock
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const { callWatchers, watch } = makeWatchers((symbol, cause) => {
        run(Effect.logError(`a watcher of ${symbol} threw an error while it handled a journal row`, cause))
      })
      const prices = new Map<MarketSymbol, Priced>()
      const sampling = new Map<MarketSymbol, Sampling.Sampling>()
      const splitMillis = new Map<MarketSymbol, number>()
      const openInterest = OpenInterest.none()
      const takeovers = OpenTakeovers.make(listed.keys())
      const tradingStates = new Map<MarketSymbol, TradingState>()
      const logs = new Map<MarketSymbol, FollowedLog.FollowedLog>()
      const followers = Followers.make((followed, { rank }, cause) => {
        run(Effect.logError(detachedText(rank, followed), cause))
      })

      const price = (instrument: Instrument, priced: Priced) => {
        prices.set(instrument.symbol, priced)
        OpenInterest.take(openInterest, instrument, priced)
      }
      const change = (symbol: MarketSymbol, state: TradingState) => {
        tradingStates.set(symbol, state)
        if (state === "DELISTED") OpenInterest.end(openInterest, symbol)
      }
      const setLimits = (symbol: MarketSymbol, limits: Limits) => {
        instruments.set(symbol, withLimits(listed.get(symbol)!, limits))
      }
      const dispatch = (batch: Batch) => {
        const { symbol } = batch.instrument
        for (let at = 0; at < batch.events.length; at = followers.deliver(batch, at) + 1) {
          const event = batch.events[at]!
          if (event._tag === "Priced") price(batch.instrument, event)
          else if (event._tag === "Sampled" || event._tag === "Funded")
            sampling.set(symbol, Sampling.after(sampling.get(symbol) ?? Sampling.unsampled, event))
          else if (event._tag === "ContractSplit") splitMillis.set(symbol, event.atMillis)
          else if (event._tag === "TradingStateChanged") change(symbol, event.state)
          else if (event._tag === "LimitsSet") setLimits(symbol, event)
          else OpenTakeovers.apply(takeovers, symbol, event)
        }
        callWatchers(symbol, ({ observe }) => observe(batch))
      }
      const followMarket = (instrument: Instrument) => {
        const log = FollowedLog.make(clock, dispatch)
        logs.set(instrument.symbol, log)
        return Watch.start(
          instrument,
          log,
          ({ lastSplitMillis, limits, prices: priced, sampling: sampled, takeovers: open, tradingState }) => {
            setLimits(instrument.symbol, limits)
            if (priced !== null) price(instrument, priced)
            change(instrument.symbol, tradingState)
            if (lastSplitMillis !== undefined) splitMillis.set(instrument.symbol, lastSplitMillis)
            if (sampled !== undefined) sampling.set(instrument.symbol, sampled)
            OpenTakeovers.reset(takeovers, instrument.symbol, open)
            callWatchers(instrument.symbol, ({ begun }) => begun(instrument.symbol))
          }
        )
      }
      yield* followAll(followMarket, (instrument) => instruments.set(instrument.symbol, instrument))

      return Feed.of({
        follow: followers.follow,
        followMarket: followers.followMarket,
        watch,
        head: (symbol) => logs.get(symbol)?.head(),
        prices,
        sampling,
        splitMillis,
        openInterest,
        takeovers,
        tradingStates,
        instruments,
        depth: (symbol) => logs.get(symbol)?.depth
      })
    })
  )

  /** Provides this feed's heads to the clients, which must not import the feed. */
  static readonly layerHeads: Layer.Layer<FeedHeads, never, Feed> = Layer.effect(
    FeedHeads,
    Effect.gen(function* () {
      const feed = yield* Feed
      const { instruments } = yield* VenueSettings
      return FeedHeads.of({
        all: () =>
          [...instruments.keys()].flatMap((symbol) => {
            const head = feed.head(symbol)
            return head === undefined ? [] : [{ symbol, seq: head.seq }]
          })
      })
    })
  )
}

const detachedText = (rank: Followers.Follower["rank"], followed: string): string =>
  `a ${rank} that follows ${followed} threw an error while it handled an event; the ${rank} was detached`

/** Follows every listed contract, and each contract that is added while the scope is open. */
const followAll = Effect.fnUntraced(function* <R>(
  followMarket: (instrument: Instrument) => Effect.Effect<void, never, R>,
  added: (instrument: Instrument) => void
) {
  const { instruments, watchListed } = yield* VenueSettings
  const atStart = [...instruments.values()]
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<R>())
  const stop = watchListed((instrument) => {
    added(instrument)
    run(Effect.forkIn(followMarket(instrument), scope))
  })
  yield* Effect.addFinalizer(() => Effect.sync(stop))
  for (const instrument of atStart) yield* followMarket(instrument)
})

/** Watchers of all markets. A watcher that throws is reported, and the others are still called. */
const makeWatchers = (report: (symbol: MarketSymbol, cause: unknown) => void) => {
  const watchers = new Set<Watcher>()
  return {
    callWatchers: (symbol: MarketSymbol, call: (watcher: Watcher) => void): void => {
      for (const watcher of watchers) {
        const called = Result.try(() => call(watcher))
        if (Result.isFailure(called)) report(symbol, called.failure)
      }
    },
    watch: (observe: Watcher["observe"], begun: Watcher["begun"] = () => {}) => {
      const watcher = { observe, begun }
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    }
  }
}
