/** Tests of query timeouts. */
import * as GivenUp from "@venue/postgres/GivenUp"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"

it.effect("fails with a connection error when a query hangs and cannot be cancelled", () =>
  Effect.gen(function* () {
    const running = yield* Effect.forkChild(
      Effect.flip(GivenUp.after("2 seconds")(Effect.uninterruptible(Effect.never)))
    )
    yield* TestClock.adjust("2 seconds")
    const error = yield* Fiber.join(running)
    assert.isTrue(isSqlError(error))
    assert.strictEqual(error.message, "no response for 2 s")
  })
)

it.effect("returns a query result or failure that arrives before the timeout", () =>
  Effect.gen(function* () {
    const inTime = GivenUp.after("2 seconds")
    assert.strictEqual(yield* inTime(Effect.succeed(1)), 1)
    assert.deepStrictEqual(yield* Effect.exit(inTime(Effect.fail("no"))), Exit.fail("no"))
  })
)

it.effect("interrupts the query when its caller is interrupted", () =>
  Effect.gen(function* () {
    let isInterrupted = false
    const query = Effect.onInterrupt(Effect.never, () =>
      Effect.sync(() => {
        isInterrupted = true
      })
    )
    const running = yield* Effect.forkChild(GivenUp.after("2 seconds")(query), { startImmediately: true })
    yield* Fiber.interrupt(running)
    yield* Effect.repeat(Effect.yieldNow, { until: () => isInterrupted })
  })
)
