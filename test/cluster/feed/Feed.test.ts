/** The feed of one node: every row once, in order, without holes, whoever owns the market and whoever throws. */
import { limitsOf } from "@venue/domain/Limits"
import { Feed } from "@venue/cluster/feed/Feed"
import type { Follower } from "@venue/cluster/feed/Followers"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import { LocalEntities, type LocalMarket, type Watcher } from "@venue/cluster/clients/LocalEntities"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import * as Runner from "@venue/cluster/Runner"
import type { Done, Level, MarketEvent } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Stream } from "effect"
import { TestClock } from "effect/testing"
import { pricedAt } from "../../ledger/Scene.ts"
import { idOf, one, turns, userId } from "../Neighbours.ts"

const around = Layer.mergeAll(
  Journal.layerMemory,
  LocalEntities.layer,
  Runner.alone({ simulate: false }),
  Logger.layer([])
).pipe(Layer.provideMerge(Layer.succeed(VenueSettings)({ ...defaults, instruments: new Map([[one.symbol, one]]) })))

/** An hour that is over, told by its rate. */
const funded = (n: number): MarketEvent => ({
  _tag: "Funded",
  rateE12: n,
  markE8: 20_000_000_000,
  remainder: 0,
  fromMillis: 0,
  skipped: false,
  atMillis: 1
})
const event = (n: number): MarketEvent => ({
  _tag: "Done",
  commandId: idOf(n),
  expiresAtMillis: 1,
  userId,
  accountId: primaryAccountOf(userId),
  atMillis: 1
})

/** A market on this node whose rows the test writes; a feed that is told of those the test chooses. */
const setUp = Effect.gen(function* () {
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
  const depth = Effect.sync(() => ({
    ...at,
    seq: levelsSeq ?? at.seq,
    levels,
    tradingState: "TRADING" as const,
    lastDividendDay: 0,
    limits: limitsOf(one),
    lastSplitDay: 0,
    prices: null
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
    /** Records an event, or what is given in its place; the feed is told of it unless it is not. */
    record: Effect.fnUntraced(function* (n: number, isTold = true, events: ReadonlyArray<MarketEvent> = [event(n)]) {
      const seq = yield* Effect.callback<number>((resume) => {
        done = (seq) => resume(Effect.succeed(seq))
        open.push(...events)
        owner.appender.wake()
      })
      at = { epoch: at.epoch, seq }
      if (isTold) row(seq, events)
    }),
    repeat: row,
    /** All the levels there are, as the market tells them to who begins to watch it, and as of which row. */
    resting: (all: ReadonlyArray<Level>, seq?: number) => {
      levels = all
      levelsSeq = seq
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
    /** The journal of the market answers, or it does not. */
    live: (alive: boolean) => {
      isAlive = alive
    },
    watching: () => watchers.size
  }
})

/** Time for the feed to come back after the end of a watch. */
const back = Effect.gen(function* () {
  yield* turns
  yield* TestClock.adjust("50 millis")
  yield* turns
})

it.effect("a repeat is dropped, and a hole is filled from the journal before anything newer", () =>
  Effect.gen(function* () {
    const { follow, heard, record, repeat, watching } = yield* setUp
    follow()
    yield* record(1)
    repeat(2, [event(1)])
    yield* record(2, false)
    yield* record(3, false)
    yield* record(4)
    assert.deepEqual(heard, [1])
    yield* back
    assert.deepEqual(heard, [1, 2, 3, 4])
    yield* record(5)
    assert.deepEqual(heard, [1, 2, 3, 4, 5])
    assert.strictEqual(watching(), 1)
  }).pipe(Effect.provide(around))
)

/** Those of AAPL that the feed has, bids first. */
const depthOf = ({ depth }: Feed["Service"]) =>
  (["BUY", "SELL"] as const).flatMap((side) =>
    [...depth(one.symbol)!.levels(side)].map((level) => ({ side, ...level }))
  )

it.effect("a watch that begins anew has the levels that are there then and no others", () =>
  Effect.gen(function* () {
    const { feed, record, repeat, resting } = yield* setUp
    const [gone, stays, comes] = [98, 99, 100].map((priceTicks) => ({
      side: "BUY" as const,
      priceTicks,
      quantityLots: 1
    }))
    const asks = { side: "SELL" as const, priceTicks: 101, quantityLots: 2 }
    yield* record(1, false)
    repeat(2, [event(1)], [gone!, stays!, asks])
    assert.deepEqual(depthOf(feed), [stays!, gone!, asks])
    yield* record(2, false)
    resting([stays!, comes!])
    let found: ReadonlyArray<Level> = []
    feed.watch(
      () => {},
      () => {
        found = depthOf(feed)
      }
    )
    yield* record(3)
    yield* back
    assert.deepEqual(depthOf(feed), [comes!, stays!])
    assert.deepEqual(found, [comes!, stays!])
  }).pipe(Effect.provide(around))
)

it.effect("levels of before what was heard are not taken in: they are asked for again", () =>
  Effect.gen(function* () {
    const { close, feed, record, repeat, resting } = yield* setUp
    const [old, now] = [98, 99].map((priceTicks) => ({ side: "BUY" as const, priceTicks, quantityLots: 1 }))
    yield* record(1, false)
    repeat(2, [event(1)], [now!])
    resting([old!], 1)
    close()
    yield* back
    assert.deepEqual([depthOf(feed), feed.head(one.symbol)?.seq], [[now!], 2])
    resting([now!])
    yield* back
    yield* record(2)
    assert.deepEqual([depthOf(feed), feed.head(one.symbol)?.seq], [[now!], 3])
  }).pipe(Effect.provide(around))
)

it.effect("what concerns every position comes in its place among a trader's own events, from the journal too", () =>
  Effect.gen(function* () {
    const { feed, record, repeat } = yield* setUp
    const heard: Array<number> = []
    const observe = (told: MarketEvent) => {
      if (told._tag === "Done") heard.push(told.commandId.d)
      if (told._tag === "Funded") heard.push(told.rateE12)
    }
    const follower: Follower = { rank: "trader", observe, broken: () => {} }
    feed.follow(primaryAccountOf(userId), follower)
    feed.followMarket(one.symbol, follower)
    yield* record(1, true, [event(1), funded(2), event(3)])
    repeat(2, [event(1), funded(2), event(3)])
    yield* record(4, false, [event(4), funded(5)])
    yield* record(6, false, [funded(6)])
    yield* record(7, true, [event(7), funded(8)])
    assert.deepEqual(heard, [1, 2, 3])
    yield* back
    assert.deepEqual(heard, [1, 2, 3, 4, 5, 6, 7, 8])
  }).pipe(Effect.provide(around))
)

it.effect("what the positions are worth is known as of the last prices, and nothing of a contract that has ended", () =>
  Effect.gen(function* () {
    const { feed, record } = yield* setUp
    yield* record(1, true, [pricedAt(one.symbol, 200, 7_000)])
    yield* record(2, true, [pricedAt(one.symbol, 204, 5_000), event(2)])
    assert.strictEqual(feed.openInterest.total, 1_020n * 10n ** 16n)
    yield* record(3, true, [{ _tag: "TradingStateChanged", state: "IN_SETTLEMENT", atMillis: 1 }])
    assert.strictEqual(feed.openInterest.total, 1_020n * 10n ** 16n)
    yield* record(4, true, [{ _tag: "TradingStateChanged", state: "DELISTED", atMillis: 1 }])
    assert.strictEqual(feed.openInterest.total, 0n)
  }).pipe(Effect.provide(around))
)

it.effect("a heartbeat that is ahead shows what was missed though nothing new comes", () =>
  Effect.gen(function* () {
    const { feed, follow, head, heard, record } = yield* setUp
    follow()
    yield* record(1)
    yield* record(2, false)
    head()
    yield* back
    assert.deepEqual(heard, [1, 2])
    assert.strictEqual(feed.head(one.symbol)?.seq, 3)
  }).pipe(Effect.provide(around))
)

it.effect(
  "a market of this node is heard whenever it is looked at, while its journal answers and no row is missing",
  () =>
    Effect.gen(function* () {
      const { feed, live, record } = yield* setUp
      yield* record(1)
      const heard = () => feed.head(one.symbol)!.heardAtMillis
      const last = heard()
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(heard(), last)
      live(true)
      assert.strictEqual(heard(), last + 60_000)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(heard(), last + 60_000 + 86_400_000)
      live(false)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(heard(), last + 60_000 + 86_400_000)
      live(true)
      yield* record(2, false)
      assert.strictEqual(heard(), last + 60_000 + 86_400_000)
    }).pipe(Effect.provide(around))
)

it.effect("after a change of owner the log goes on where it was", () =>
  Effect.gen(function* () {
    const { close, feed, follow, heard, move, record } = yield* setUp
    follow()
    yield* record(1)
    close()
    yield* record(2, false)
    yield* move
    yield* record(3, false)
    yield* back
    yield* record(4)
    assert.deepEqual(heard, [1, 2, 3, 4])
    assert.deepInclude(feed.head(one.symbol), { epoch: 2, seq: 6 })
  }).pipe(Effect.provide(around))
)

it.effect("a follower that throws is told no more; the others and the market go on", () =>
  Effect.gen(function* () {
    const { follow, heard, record } = yield* setUp
    let broken = 0
    follow(
      () => {
        throw new Error("fault")
      },
      () => void broken++
    )
    follow()
    yield* record(1)
    yield* record(2)
    assert.deepEqual(heard, [1, 2])
    assert.strictEqual(broken, 1)
  }).pipe(Effect.provide(around))
)

it.effect("a watcher that throws is told the next all the same; the others and the market go on", () =>
  Effect.gen(function* () {
    const { feed, follow, heard, record } = yield* setUp
    const watched: Array<string> = []
    feed.watch(({ seq }) => {
      watched.push(`first ${seq}`)
      throw new Error("fault")
    })
    feed.watch(({ seq }) => void watched.push(`second ${seq}`))
    follow()
    yield* record(1)
    yield* record(2)
    assert.deepEqual(heard, [1, 2])
    assert.deepEqual(watched, ["first 2", "second 2", "first 3", "second 3"])
  }).pipe(Effect.provide(around))
)
