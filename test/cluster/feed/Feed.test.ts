/** Tests of one node's feed: gaps, repeats, moves and observers that throw. */
import type { Feed } from "@venue/cluster/feed/Feed"
import type { Follower } from "@venue/cluster/feed/Followers"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { Level, MarketEvent } from "@venue/domain/Market"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { pricedAt } from "../../ledger/Scene.ts"
import { idOf, one, turns, userId } from "../Neighbours.ts"

import { testLayer, event, funded, setUp } from "./WrittenMarket.ts"

/** Waits long enough for a new watch after a watch ends. */
const back = Effect.gen(function* () {
  yield* turns
  yield* TestClock.adjust("50 millis")
  yield* turns
})

it.effect("drops a repeated row, and fills a gap from the journal before it delivers newer rows", () =>
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
  }).pipe(Effect.provide(testLayer))
)

/** Levels of AAPL in the feed, bids first. */
const depthOf = ({ depth }: Feed["Service"]) =>
  (["BUY", "SELL"] as const).flatMap((side) =>
    [...depth(one.symbol)!.levels(side)].map((level) => ({ side, ...level }))
  )

it.effect("tracks a market's open takeovers, and replaces the whole list when a new watch begins", () =>
  Effect.gen(function* () {
    const { close, feed, record, taking } = yield* setUp
    const open = () => Object.fromEntries(feed.takeovers.get(one.symbol)!)
    const [first, second] = [idOf(1), idOf(2)]
    const about = { userId, accountId: primaryAccountOf(userId), expiresAtMillis: 1, atMillis: 1 }
    const opened = { _tag: "TakeoverOpened", ...about, markE8: 1, share: 0 } as const
    yield* record(0, true, [{ ...opened, takeoverId: first, quantityLots: 10 }])
    yield* record(0, true, [{ ...opened, takeoverId: second, quantityLots: -20 }])
    assert.deepStrictEqual(open(), { [first.text]: 10, [second.text]: -20 })
    yield* record(0, true, [{ _tag: "TakeoverClosed", ...about, takeoverId: first, leftLots: 0 }])
    assert.deepStrictEqual(open(), { [second.text]: -20 })
    taking([{ takeoverId: "other", quantityLots: 5 }])
    close()
    yield* back
    assert.deepStrictEqual(open(), { other: 5 })
    taking(undefined)
    close()
    yield* back
    assert.deepStrictEqual(open(), {})
  }).pipe(Effect.provide(testLayer))
)

it.effect("replaces all price levels when a new watch of the market begins", () =>
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
  }).pipe(Effect.provide(testLayer))
)

it.effect("rejects price levels that are older than the feed, and requests new ones", () =>
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
  }).pipe(Effect.provide(testLayer))
)

it.effect(
  "delivers market-wide events and a trader's own events in log order, even if the rows come from the journal",
  () =>
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
    }).pipe(Effect.provide(testLayer))
)

it.effect("values open interest at the last prices, and at 0 for a delisted contract", () =>
  Effect.gen(function* () {
    const { feed, record } = yield* setUp
    yield* record(1, true, [pricedAt(one.symbol, 200, 7_000)])
    yield* record(2, true, [pricedAt(one.symbol, 204, 5_000), event(2)])
    assert.strictEqual(feed.openInterest.total, 1_020n * 10n ** 16n)
    yield* record(3, true, [{ _tag: "TradingStateChanged", state: "IN_SETTLEMENT", atMillis: 1 }])
    assert.strictEqual(feed.openInterest.total, 1_020n * 10n ** 16n)
    yield* record(4, true, [{ _tag: "TradingStateChanged", state: "DELISTED", atMillis: 1 }])
    assert.strictEqual(feed.openInterest.total, 0n)
  }).pipe(Effect.provide(testLayer))
)

it.effect("detects missed rows from a heartbeat that names a newer row", () =>
  Effect.gen(function* () {
    const { feed, follow, head, heard, record } = yield* setUp
    follow()
    yield* record(1)
    yield* record(2, false)
    head()
    yield* back
    assert.deepEqual(heard, [1, 2])
    assert.strictEqual(feed.head(one.symbol)?.seq, 3)
  }).pipe(Effect.provide(testLayer))
)

it.effect("counts a market on this node as alive while its journal responds and no row is missing", () =>
  Effect.gen(function* () {
    const { feed, live, record } = yield* setUp
    yield* record(1)
    const heard = () => feed.head(one.symbol)!.aliveAtMillis
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
  }).pipe(Effect.provide(testLayer))
)

it.effect("continues to deliver rows after the market's owner has changed", () =>
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
  }).pipe(Effect.provide(testLayer))
)

it.effect("detaches a follower that throws, and continues with the other followers", () =>
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
  }).pipe(Effect.provide(testLayer))
)

it.effect("after a watcher throws, continues with the other watchers, and calls all of them for the next row", () =>
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
  }).pipe(Effect.provide(testLayer))
)
