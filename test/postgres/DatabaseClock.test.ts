/** Tests of a node's time: it follows the database, regardless of the node's own clock and connection. */
import { assert, it } from "@effect/vitest"
import * as DatabaseClock from "@venue/postgres/DatabaseClock"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../Postgres.ts"

const start = 1_700_000_000_000

/** A database with its own clock. It responds after `slowMillis`, or never while `isAway`. */
const database = Effect.map(Clock.Clock, (test) => {
  const of = {
    aheadMillis: 0,
    slowMillis: 0,
    isAway: false,
    asked: 0,
    now: () => start + test.currentTimeMillisUnsafe() + of.aheadMillis
  }
  const sql = () =>
    Effect.gen(function* () {
      of.asked++
      if (of.isAway) return yield* Effect.never
      yield* Effect.sleep(of.slowMillis / 2)
      const now = of.now()
      yield* Effect.sleep(of.slowMillis / 2)
      return [{ now }]
    })
  return { of, layer: Layer.succeed(SqlClient.SqlClient)(sql as unknown as SqlClient.SqlClient) }
})

/** Clock of a node whose wall clock the test sets. */
const node = Effect.gen(function* () {
  const { layer, of } = yield* database
  const test = yield* Clock.Clock
  const wall = { aheadMillis: 0 }
  const own: Clock.Clock = {
    ...test,
    currentTimeMillisUnsafe: () => test.currentTimeMillisUnsafe() + wall.aheadMillis
  }
  const context = yield* Layer.build(Layer.provide(DatabaseClock.layer, layer)).pipe(
    Effect.provideService(Clock.Clock, own)
  )
  const clock = Context.get(context as Context.Context<never>, Clock.Clock)
  return { clock, database: of, wall, wrongMillis: () => clock.currentTimeMillisUnsafe() - of.now() }
})

it.effect("returns the database's time even while the node's clock is being set", () =>
  Effect.gen(function* () {
    const { clock, wall, wrongMillis } = yield* node
    for (const aheadMillis of [30_000, -30_000, 3_600_000]) {
      wall.aheadMillis = aheadMillis
      assert.strictEqual(wrongMillis(), 0)
      yield* TestClock.adjust("25 seconds")
      assert.strictEqual(wrongMillis(), 0)
    }
    assert.strictEqual(clock.currentTimeNanosUnsafe() / 1_000_000n, BigInt(clock.currentTimeMillisUnsafe()))
  })
)

it.effect("follows a database clock that was set forward within ten seconds", () =>
  Effect.gen(function* () {
    const { database, wrongMillis } = yield* node
    yield* TestClock.adjust("1 second")
    database.aheadMillis = 30_000
    assert.strictEqual(wrongMillis(), -30_000)
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(wrongMillis(), 0)
  })
)

it.effect("if the database clock is set back, runs slower and never returns the same time twice", () =>
  Effect.gen(function* () {
    const { clock, database, wrongMillis } = yield* node
    database.aheadMillis = -30_000
    let before = clock.currentTimeMillisUnsafe()
    for (let seconds = 0; seconds < 75; seconds++) {
      yield* TestClock.adjust("1 second")
      assert.isAbove(clock.currentTimeMillisUnsafe(), before)
      before = clock.currentTimeMillisUnsafe()
    }
    assert.strictEqual(wrongMillis(), 0)
  })
)

it.effect("keeps the correct time after a slow database response", () =>
  Effect.gen(function* () {
    const { database, wrongMillis } = yield* node
    database.slowMillis = 900
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(wrongMillis(), 0)
    database.aheadMillis = 30_000
    yield* TestClock.adjust("1 minute")
    assert.isAtMost(Math.abs(wrongMillis()), 450)
  })
)

it.effect("continues during a database outage, and measures the clock again after the outage", () =>
  Effect.gen(function* () {
    const { database, wrongMillis } = yield* node
    database.isAway = true
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(wrongMillis(), 0)
    database.isAway = false
    database.aheadMillis = 2_000
    yield* TestClock.adjust("15 seconds")
    assert.strictEqual(wrongMillis(), 0)
  })
)

it.effect("shifting the node's own clock for a drill does not change the returned time", () =>
  Effect.gen(function* () {
    const { layer, of } = yield* database
    const both = yield* Effect.gen(function* () {
      const own = yield* Clock.Clock
      const measured = yield* Effect.provide(Clock.Clock, DatabaseClock.layer)
      return { own: own.currentTimeMillisUnsafe(), measured: measured.currentTimeMillisUnsafe() }
    }).pipe(
      Effect.provide(DatabaseClock.layerShifted),
      Effect.provide(layer),
      Effect.provideService(DatabaseClock.ClockShift, -30_000)
    )
    assert.deepEqual(both, { own: -30_000, measured: of.now() })
  })
)

it.live("I37: returns the time of Postgres on a node whose clock is half an hour off", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const clock = yield* Effect.provide(Clock.Clock, DatabaseClock.layer)
    const before = clock.currentTimeMillisUnsafe()
    const [now] = yield* sql<{ readonly millis: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as millis`
    const after = clock.currentTimeMillisUnsafe()
    // The clocks differ by at most half a round trip, rounded to whole milliseconds.
    assert.isAtLeast(now!.millis, before - 1_000)
    assert.isAtMost(now!.millis, after + 1_000)
  }).pipe(
    Effect.provide(DatabaseClock.layerShifted),
    Effect.provideService(DatabaseClock.ClockShift, -1_800_000),
    Effect.provide(postgresLayer)
  )
)
