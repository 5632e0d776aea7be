/** A watch of a market on another node that says nothing any more, and does not even end. */
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { Feed } from "@venue/cluster/feed/Feed"
import type { Watched } from "@venue/cluster/protocol/Market"
import * as Runner from "@venue/cluster/Runner"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { limitsOf } from "@venue/domain/Limits"
import { Journal } from "@venue/journal/Journal"
import { assert, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Layer, Schedule, Stream } from "effect"
import { TestClock } from "effect/testing"
import { one, turns } from "../Neighbours.ts"

const around = Layer.mergeAll(Journal.layerMemory, LocalEntities.layer, Runner.alone({ simulate: false })).pipe(
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

/** Each watch says where the market stands `beatsOf` times and then nothing; leaving one takes until `left`. */
const following = Effect.fnUntraced(function* (beatsOf: (watch: number) => number, left: Effect.Effect<void>) {
  const seen = { watches: 0 }
  const markets = Layer.mock(MarketClient)({
    submit: () => true,
    enter: () => () => {},
    depth: () => Effect.succeed(depth),
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
  for (let second = 0; second < 30; second++) {
    yield* TestClock.adjust("1 second")
    yield* turns
  }
  return { ...seen, ageMillis: clock.currentTimeMillisUnsafe() - feed.head(one.symbol)!.heardAtMillis }
})

it.effect("a watch of another node that says nothing for five seconds is given up for another", () =>
  Effect.gen(function* () {
    const { ageMillis, watches } = yield* following((watch) => (watch === 1 ? 3 : 1_000), Effect.void)
    assert.strictEqual(watches, 2)
    assert.isAtMost(ageMillis, 1_000)
  }).pipe(Effect.scoped, Effect.provide(around))
)

it.effect("nobody waits for a watch that cannot be left", () =>
  Effect.gen(function* () {
    const left = yield* Deferred.make<void>()
    yield* Effect.addFinalizer(() => Deferred.succeed(left, undefined))
    const { ageMillis, watches } = yield* following((watch) => (watch < 3 ? 3 : 1_000), Deferred.await(left))
    assert.strictEqual(watches, 3)
    assert.isAtMost(ageMillis, 1_000)
    yield* Deferred.succeed(left, undefined)
  }).pipe(Effect.scoped, Effect.provide(around))
)

it.effect("a watch that says each second where its market stands is the only one", () =>
  Effect.gen(function* () {
    const { watches } = yield* following(() => 1_000, Effect.void)
    assert.strictEqual(watches, 1)
  }).pipe(Effect.scoped, Effect.provide(around))
)
