/** Market on one node whose rows a test writes, and the feed of that node. */
import { limitsOf } from "@venue/domain/Limits"
import { Feed } from "@venue/cluster/feed/Feed"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import type { DepthAt } from "@venue/cluster/protocol/Market"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import { LocalEntities, type LocalMarket, type Watcher } from "@venue/cluster/clients/LocalEntities"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import * as Runner from "@venue/cluster/Runner"
import type { Done, Level, MarketEvent } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Context, Effect, Layer, Logger, Stream } from "effect"
import { idOf, one, turns, userId } from "../Neighbours.ts"

export const testLayer = Layer.mergeAll(
  Journal.layerMemory,
  LocalEntities.layer,
  Runner.alone({ simulate: false }),
  Logger.layer([])
).pipe(Layer.provideMerge(Layer.succeed(VenueSettings)({ ...defaults, instruments: new Map([[one.symbol, one]]) })))

/** Returns a funding event with this rate. */
export const funded = (n: number): MarketEvent => ({
  _tag: "Funded",
  rateE12: n,
  markE8: 20_000_000_000,
  remainder: 0,
  fromMillis: 0,
  skipped: false,
  atMillis: 1
})
export const event = (n: number): MarketEvent => ({
  _tag: "Done",
  commandId: idOf(n),
  expiresAtMillis: 1,
  userId,
  accountId: primaryAccountOf(userId),
  atMillis: 1
})

/**
 * Creates a market on this node whose rows the test writes, and a feed that receives the rows that the test selects.
 */
export const setUp = Effect.gen(function* () {
  const journal = yield* Journal
  const localEntities = yield* LocalEntities
  const stream = marketStream(one.symbol)
  const open: Array<MarketEvent> = []
  let done = (_seq: number) => {}
  const own = Effect.fnUntraced(function* () {
    const from = yield* journal.claim(stream, { restore: () => true, replay: () => {} }, Effect.succeed(true))
    const appender = journal.append(
      {
        stream,
        collect: () => (open.length === 0 ? undefined : { events: MarketRecord.encode(open.splice(0)) }),
        committed: (seq) => done(seq),
        lost: () => {}
      },
      from
    )
    return { appender, from }
  })
  let owner = yield* own()
  let at = owner.from
  const watchers = new Set<Watcher>()
  let isAlive = false
  let levels: ReadonlyArray<Level> = []
  let levelsSeq: number | undefined
  let takeovers: DepthAt["takeovers"]
  const depth = Effect.sync(() => ({
    ...at,
    seq: levelsSeq ?? at.seq,
    levels,
    tradingState: "TRADING" as const,
    lastDividendDay: 0,
    limits: limitsOf(one),
    lastSplitDay: 0,
    prices: null,
    ...(takeovers === undefined ? {} : { takeovers })
  }))
  const local: LocalMarket = {
    submit: () => {},
    head: () => (isAlive ? at : undefined),
    view: () => Effect.never,
    preview: () => Effect.never,
    depth,
    stream: Stream.never,
    watch: (watcher) => {
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    }
  }
  localEntities.markets.set(one.symbol, local)
  const services = yield* Layer.build(
    Feed.layer.pipe(
      Layer.provide(
        Layer.succeed(MarketClient)(
          MarketClient.of({
            submit: () => true,
            enter: () => () => {},
            view: () => Effect.never,
            stand: () => Effect.never,
            observe: () => Effect.void,
            pauseSources: () => Effect.void,
            payDividend: () => Effect.never,
            topUpFund: () => Effect.never,
            alarms: () => Effect.never,
            preview: () => Effect.never,
            introduceBuilder: () => Effect.never,
            setTradingState: () => Effect.never,
            splitContract: () => Effect.never,
            cancelOrders: () => Effect.never,
            setLimits: () => Effect.never,
            delist: () => Effect.never,
            totals: () => Effect.never,
            catchUp: () => Effect.never,
            depth: () => depth,
            watch: () => Stream.never
          })
        )
      )
    )
  )
  const feed = Context.get(services, Feed)
  yield* turns
  const heard: Array<number> = []
  const follow = (observe = (n: number) => void heard.push(n), broken = () => {}) =>
    feed.follow(primaryAccountOf(userId), {
      rank: "socket",
      observe: (event) => observe((event as Done).commandId.d),
      broken
    })
  const row = (seq: number, events: ReadonlyArray<MarketEvent>, changed: ReadonlyArray<Level> = []) => {
    for (const watcher of watchers) {
      watcher.batch({
        instrument: one,
        epoch: at.epoch,
        seq,
        events,
        levels: changed,
        row: MarketRecord.encode(events)
      })
    }
  }
  return {
    feed,
    follow,
    heard,
    /** Commits one event, or the given events, and by default publishes the row to the feed. */
    record: Effect.fnUntraced(function* (
      n: number,
      isExternal = true,
      events: ReadonlyArray<MarketEvent> = [event(n)]
    ) {
      const seq = yield* Effect.callback<number>((resume) => {
        done = (seq) => resume(Effect.succeed(seq))
        open.push(...events)
        owner.appender.wake()
      })
      at = { epoch: at.epoch, seq }
      if (isExternal) row(seq, events)
    }),
    repeat: row,
    /** Sets the price levels that a new watch starts with, and the number of the row at which they were read. */
    resting: (all: ReadonlyArray<Level>, seq?: number) => {
      levels = all
      levelsSeq = seq
    },
    /** Sets the takeovers that a new watch starts with; undefined stands for a market of an older release. */
    taking: (all: DepthAt["takeovers"]) => {
      takeovers = all
    },
    head: () => {
      for (const watcher of watchers) watcher.head(at.epoch, at.seq)
    },
    move: Effect.gen(function* () {
      owner = yield* own()
      at = owner.from
    }),
    close: () => {
      for (const watcher of watchers) watcher.closed()
    },
    /** Sets whether the market's journal responds. */
    live: (alive: boolean) => {
      isAlive = alive
    },
    watching: () => watchers.size
  }
})
