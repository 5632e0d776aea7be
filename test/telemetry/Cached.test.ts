/** Values that a query provides for scrapes. */
import * as Cached from "@venue/telemetry/Cached"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const options = { everyMillis: 15_000, keptMillis: 60_000 }

it.effect("queries at most once per interval, however often the value is read", () =>
  Effect.gen(function* () {
    let queries = 0
    const read = yield* Cached.make(
      Effect.sync(() => ++queries),
      options
    )
    assert.isUndefined(read())
    yield* TestClock.adjust(1_000)
    for (let times = 0; times < 100; times++) assert.strictEqual(read(), 1)
    yield* TestClock.adjust(14_000)
    assert.strictEqual(read(), 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(read(), 2)
  }).pipe(Effect.scoped)
)

it.effect("while the query fails or hangs, returns the last value for a minute and then none", () =>
  Effect.gen(function* () {
    let query: Effect.Effect<string, string> = Effect.succeed("first")
    const read = yield* Cached.make(
      Effect.suspend(() => query),
      options
    )
    read()
    yield* TestClock.adjust(1)
    query = Effect.fail("the database is away")
    yield* TestClock.adjust(15_000)
    assert.strictEqual(read(), "first")
    query = Effect.never
    yield* TestClock.adjust(15_000)
    assert.strictEqual(read(), "first")
    yield* TestClock.adjust(31_000)
    assert.isUndefined(read())
  }).pipe(Effect.scoped)
)
