/** Tests of a market's watchers: heartbeats while the node owns the log, and bounded queues. */
import type { CommittedBatch } from "@venue/cluster/feed/Batch"
import type * as MarketClaim from "@venue/cluster/entities/market/MarketClaim"
import * as MarketLog from "@venue/cluster/entities/market/MarketLog"
import * as MarketWatchers from "@venue/cluster/entities/market/MarketWatchers"
import { marketStream } from "@venue/domain/Market"
import { Journal, type JournalShape } from "@venue/journal/Journal"
import { JournalRows } from "@venue/journal/JournalMemory"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer, Logger, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Nodes, recorder, twoNodes, yes } from "../../../journal/JournalNodes.ts"
import { postgresLayer } from "../../../Postgres.ts"
import { counted } from "../../../Wakes.ts"
import { one, turns, venue } from "../../Neighbours.ts"

const quiet = Logger.layer([])
const inMemory = Layer.mergeAll(twoNodes(Journal.layerMemoryNode).pipe(Layer.provide(JournalRows.layer)), venue, quiet)
const onPostgres = Layer.mergeAll(twoNodes(Journal.layer).pipe(Layer.provide(postgresLayer)), venue, quiet)

/** Opens a market on one node. */
const open = Effect.fnUntraced(function* (journal: JournalShape, owned: () => boolean = () => true) {
  let ended = 0
  const observers: Array<MarketClaim.LogObserver> = []
  const log = yield* MarketLog.make(one, Effect.sync(owned)).pipe(Effect.provideService(Journal, journal))
  const watchers = yield* MarketWatchers.make(one.symbol, {
    ...log,
    observe: (observer) => {
      observers.push(observer)
      log.observe(observer)
    }
  })
  log.observe({
    ended: () => {
      ended++
      watchers.leave()
    }
  })
  const committed = (batch: CommittedBatch) => {
    for (const observer of observers) observer.committed?.(batch)
  }
  return { log, watchers, committed, ended: () => ended }
})

/** Watches as another node does, and records the times of rows and heartbeats. */
const watch = Effect.fnUntraced(function* (watchers: MarketWatchers.MarketWatchers) {
  const clock = yield* Clock.Clock
  const heardAtMillis: Array<number> = []
  const fiber = yield* Effect.forkScoped(
    Effect.exit(
      Stream.runForEach(watchers.stream, () =>
        Effect.sync(() => void heardAtMillis.push(clock.currentTimeMillisUnsafe()))
      )
    )
  )
  return { heardAtMillis, fiber }
})

it.effect("I4: an idle market stops sending heartbeats once another node has claimed its log", () =>
  Effect.gen(function* () {
    const { a, b } = yield* Nodes
    let isOurs = true
    const market = yield* open(a, () => isOurs)
    const { fiber, heardAtMillis } = yield* watch(market.watchers)
    for (let seconds = 0; seconds < 5; seconds++) yield* Effect.andThen(TestClock.adjust("1 second"), turns)
    assert.deepEqual(heardAtMillis, [0, 1_000, 2_000, 3_000, 4_000, 5_000])
    assert.isDefined(market.watchers.head())

    yield* b.claim(marketStream(one.symbol), recorder(), yes)
    isOurs = false
    assert.isUndefined(market.watchers.head())
    yield* turns
    assert.isFalse(market.log.serving())
    yield* Effect.andThen(TestClock.adjust("10 seconds"), turns)
    assert.strictEqual(heardAtMillis.length, 6)
    assert.strictEqual(market.ended(), 1)
    assert.isTrue(Exit.isFailure(yield* Fiber.join(fiber)))
  }).pipe(Effect.provide(inMemory))
)

it.effect("a market resumes its heartbeats after its node has claimed the log again", () =>
  Effect.gen(function* () {
    const { a, b } = yield* Nodes
    const market = yield* open(a)
    const { heardAtMillis } = yield* watch(market.watchers)
    yield* turns
    yield* b.claim(marketStream(one.symbol), recorder(), yes)
    for (let seconds = 0; seconds < 5; seconds++) yield* Effect.andThen(TestClock.adjust("1 second"), turns)
    assert.isAbove(heardAtMillis.at(-1)!, 3_000)
    assert.deepEqual(market.watchers.head(), { epoch: 3, seq: 3 })
  }).pipe(Effect.provide(inMemory))
)

it.effect("a market sets a heartbeat timer only while another node watches it", () =>
  Effect.gen(function* () {
    const { clock, wakes } = yield* counted
    yield* Effect.gen(function* () {
      const { a } = yield* Nodes
      const market = yield* open(a)
      yield* turns
      const before = wakes()
      for (let hours = 0; hours < 3; hours++) {
        yield* TestClock.adjust("1 hour")
        assert.isDefined(market.watchers.head())
      }
      // Allows for the timers of one saved snapshot.
      assert.isAtMost(wakes() - before, 2)
    }).pipe(Effect.scoped, Effect.provide(inMemory), Effect.provideService(Clock.Clock, clock))
  })
)

it.live("I4: on Postgres, the older of two market owners stops after losing the shard, even without trades", () =>
  Effect.gen(function* () {
    const { a, b } = yield* Nodes
    let isOurs = true
    const older = yield* open(a, () => isOurs)
    const { fiber } = yield* watch(older.watchers)
    const patiently = (isSo: () => boolean) => Effect.repeat(Effect.sleep("10 millis"), { until: isSo })
    yield* patiently(() => older.watchers.head() !== undefined)
    const newer = yield* open(b)
    isOurs = false
    // The older owner's database connection still works.
    yield* patiently(() => older.ended() === 1)
    assert.isUndefined(older.watchers.head())
    assert.isTrue(Exit.isFailure(yield* Fiber.join(fiber)))
    yield* patiently(() => newer.watchers.head() !== undefined)
    assert.deepEqual(newer.watchers.head(), { epoch: 2, seq: 2 })
  }).pipe(Effect.provide(onPostgres))
)

/** Returns a committed row of this many bytes. */
const row = (seq: number, bytes: number): CommittedBatch => ({
  instrument: one,
  epoch: 1,
  seq,
  events: [],
  levels: [],
  row: new Uint8Array(bytes)
})

/** Returns the rows that a stalled watcher finally receives, and whether its stream failed. */
const stalled = Effect.fnUntraced(function* (told: ReadonlyArray<CommittedBatch>) {
  const { a } = yield* Nodes
  const { committed, watchers } = yield* open(a)
  const seqs: Array<number> = []
  let resume = () => {}
  const fiber = yield* Effect.forkScoped(
    Effect.exit(
      Stream.runForEach(watchers.stream, ({ events, seq }) =>
        events.length === 0
          ? Effect.callback<void>((go) => {
              resume = () => go(Effect.void)
            })
          : Effect.sync(() => void seqs.push(seq))
      )
    )
  )
  yield* turns
  for (const batch of told) committed(batch)
  resume()
  yield* turns
  return { seqs, hasFailed: fiber.pollUnsafe() !== undefined }
})

it.effect("I48: fails a watcher that is more than 4 MB of rows behind", () =>
  Effect.gen(function* () {
    const megabyte = 1024 * 1024
    const four = [1, 2, 3, 4].map((seq) => row(seq, megabyte))
    assert.deepEqual(yield* stalled(four), { seqs: [1, 2, 3, 4], hasFailed: false })
    const { hasFailed } = yield* stalled([...four, row(5, 1)])
    assert.isTrue(hasFailed)
  }).pipe(Effect.provide(inMemory))
)

it.effect("delivers a row larger than the queue limit to a watcher that keeps up", () =>
  Effect.gen(function* () {
    const large = 8 * 1024 * 1024
    assert.deepEqual(yield* stalled([row(1, large)]), { seqs: [1], hasFailed: false })
    assert.isTrue((yield* stalled([row(1, 1), row(2, large)])).hasFailed)
  }).pipe(Effect.provide(inMemory))
)
