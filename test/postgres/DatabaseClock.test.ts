/** All that reads time reads the database's, whatever becomes of the node's own clock or of the way to the database. */
import { assert, it } from "@effect/vitest"
import * as DatabaseClock from "@venue/postgres/DatabaseClock"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../Postgres.ts"

const start = 1_700_000_000_000

/** A database with a clock of its own, which answers after `slowMillis`, or not at all. */
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

/** The clock of a node whose own wall clock is where the test sets it. */
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

it.effect("a node tells the database's time, and goes on with it while its own clock is set", () =>
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

it.effect("a database whose clock is set on is followed within ten seconds", () =>
  Effect.gen(function* () {
    const { database, wrongMillis } = yield* node
    yield* TestClock.adjust("1 second")
    database.aheadMillis = 30_000
    assert.strictEqual(wrongMillis(), -30_000)
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(wrongMillis(), 0)
  })
)

it.effect("a database whose clock is set back is waited for, and no time is told twice over", () =>
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

it.effect("a slow answer does not make the time wrong", () =>
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

it.effect("time goes on while the database is away, and is measured again when it is back", () =>
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

it.effect("a drill shifts the node's own clock, and what stands on the database's does not notice", () =>
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

it.live("I37: a node whose clock is half an hour off still tells the time of its Postgres", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const clock = yield* Effect.provide(Clock.Clock, DatabaseClock.layer)
    const asked = clock.currentTimeMillisUnsafe()
    const [now] = yield* sql<{ readonly millis: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as millis`
    const answered = clock.currentTimeMillisUnsafe()
    // The clocks differ by the half of one way there and back at most, and tell whole milliseconds.
    assert.isAtLeast(now!.millis, asked - 1_000)
    assert.isAtMost(now!.millis, answered + 1_000)
  }).pipe(
    Effect.provide(DatabaseClock.layerShifted),
    Effect.provideService(DatabaseClock.ClockShift, -1_800_000),
    Effect.provide(postgresLayer)
  )
)
