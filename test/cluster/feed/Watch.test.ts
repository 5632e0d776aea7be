/** Tests of watches of a market on another node that fall silent or hang. */
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { LocalEntities, type LocalMarket } from "@venue/cluster/clients/LocalEntities"
import { Feed } from "@venue/cluster/feed/Feed"
import type { Watched } from "@venue/cluster/protocol/Market"
import * as Runner from "@venue/cluster/Runner"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { limitsOf } from "@venue/domain/Limits"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Journal } from "@venue/journal/Journal"
import { assert, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Layer, Schedule, Stream } from "effect"
import { TestClock } from "effect/testing"
import { one, turns } from "../Neighbours.ts"

const testLayer = Layer.mergeAll(Journal.layerMemory, LocalEntities.layer, Runner.alone({ simulate: false })).pipe(
  Layer.provideMerge(Layer.succeed(VenueSettings)({ ...defaults, instruments: new Map([[one.symbol, one]]) }))
)
const depth = {
  epoch: 1,
  seq: 0,
  levels: [],
  tradingState: "TRADING" as const,
  lastDividendDay: 0,
  limits: limitsOf(one),
  lastSplitDay: 0,
  prices: null
}
const beat: Watched = { epoch: 1, seq: 0, events: new Uint8Array(0), levels: [] }
const beats = Stream.fromSchedule(Schedule.spaced("1 second")).pipe(Stream.map(() => beat))

const moveSecond = 4

interface Happening {
  /** Returns true if the call should never return. */
  readonly isUnanswered?: (question: number) => boolean
  /** Moves the market during the first watch, to this node or away from it. */
  readonly moves?: (markets: Map<MarketSymbol, LocalMarket>) => void
}

/** Sends `beatsOf(n)` heartbeats in the nth watch and then falls silent. A watch is closed once `left` completes. */
const following = Effect.fnUntraced(function* (
  beatsOf: (watch: number) => number,
  left: Effect.Effect<void>,
  { isUnanswered = () => false, moves = () => {} }: Happening = {}
) {
  const seen = { watches: 0, questions: 0 }
  const markets = Layer.mock(MarketClient)({
    submit: () => true,
    enter: () => () => {},
    depth: () => Effect.suspend(() => (isUnanswered(++seen.questions) ? Effect.never : Effect.succeed(depth))),
    watch: () =>
      Stream.unwrap(
        Effect.as(
          Effect.addFinalizer(() => left),
          Stream.concat(Stream.take(beats, beatsOf(++seen.watches)), Stream.never)
        )
      )
  })
  const feed = Context.get(yield* Layer.build(Feed.layer.pipe(Layer.provide(markets))), Feed)
  const clock = yield* Clock.Clock
  const { markets: here } = yield* LocalEntities
  for (let second = 0; second < 30; second++) {
    if (second === moveSecond) moves(here)
    yield* TestClock.adjust("1 second")
    yield* turns
  }
  return { ...seen, ageMillis: clock.currentTimeMillisUnsafe() - feed.head(one.symbol)!.aliveAtMillis }
})

it.effect("replaces a market's watch after 5 s of silence", () =>
  Effect.gen(function* () {
    const { ageMillis, watches } = yield* following((watch) => (watch === 1 ? 3 : 1_000), Effect.void)
    assert.strictEqual(watches, 2)
    assert.isAtMost(ageMillis, 1_000)
  }).pipe(Effect.scoped, Effect.provide(testLayer))
)

/** A market on this node that only returns its head. */
const local: LocalMarket = {
  submit: () => {},
  head: () => ({ epoch: 1, seq: 0 }),
  watch: () => () => {},
  stream: Stream.never,
  view: () => Effect.never,
  depth: Effect.succeed(depth),
  preview: () => Effect.never
}

it.effect("attaches to a market that moved to this node, even if the old watch hangs", () =>
  Effect.gen(function* () {
    const { ageMillis, watches } = yield* following(() => 3, Effect.void, {
      moves: (markets) => void markets.set(one.symbol, local)
    })
    assert.strictEqual(watches, 1)
    assert.strictEqual(ageMillis, 0)
  }).pipe(Effect.scoped, Effect.provide(testLayer))
)

it.effect("watches a market on another node if the market leaves this node during the first call", () =>
  Effect.gen(function* () {
    const { markets } = yield* LocalEntities
    markets.set(one.symbol, local)
    const { ageMillis, watches } = yield* following(() => 1_000, Effect.void, {
      isUnanswered: (question) => question === 1,
      moves: (markets) => void markets.delete(one.symbol)
    })
    assert.strictEqual(watches, 1)
    assert.isAtMost(ageMillis, 1_000)
  }).pipe(Effect.scoped, Effect.provide(testLayer))
)

it.effect("does not wait for a watch that hangs while closing", () =>
  Effect.gen(function* () {
    const left = yield* Deferred.make<void>()
    yield* Effect.addFinalizer(() => Deferred.succeed(left, undefined))
    const { ageMillis, watches } = yield* following((watch) => (watch < 3 ? 3 : 1_000), Deferred.await(left))
    assert.strictEqual(watches, 3)
    assert.isAtMost(ageMillis, 1_000)
    yield* Deferred.succeed(left, undefined)
  }).pipe(Effect.scoped, Effect.provide(testLayer))
)

it.effect("keeps a market's watch that sends a heartbeat every second", () =>
  Effect.gen(function* () {
    const { watches } = yield* following(() => 1_000, Effect.void)
    assert.strictEqual(watches, 1)
  }).pipe(Effect.scoped, Effect.provide(testLayer))
)
