/** Checks after a move of the database. */
import * as DatabaseMoves from "@venue/postgres/DatabaseMoves"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"

it.live("waits until the newest move is checked, and returns at once while no check is registered", () =>
  Effect.gen(function* () {
    const moves = DatabaseMoves.make()
    moves.moved()
    yield* moves.whenChecked
    assert.strictEqual(moves.count(), 0)
    const checks: Array<Deferred.Deferred<void>> = []
    const begun = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const check = Effect.gen(function* () {
      const end = yield* Deferred.make<void>()
      yield* Deferred.succeed(begun[checks.push(end) - 1]!, undefined)
      yield* Deferred.await(end)
    })
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* moves.checking(check)
        yield* moves.whenChecked
        moves.moved()
        yield* Deferred.await(begun[0]!)
        let isChecked = false
        const waiter = yield* Effect.forkChild(
          Effect.andThen(
            moves.whenChecked,
            Effect.sync(() => (isChecked = true))
          )
        )
        moves.moved()
        assert.strictEqual(moves.count(), 2)
        yield* Deferred.succeed(checks[0]!, undefined)
        yield* Deferred.await(begun[1]!)
        assert.isFalse(isChecked)
        yield* Deferred.succeed(checks[1]!, undefined)
        yield* Fiber.join(waiter)
        moves.moved()
      })
    )
    yield* moves.whenChecked
  })
)
