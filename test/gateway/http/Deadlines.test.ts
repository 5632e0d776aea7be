/** Tests of deadlines for effects. */
import * as Deadlines from "@venue/gateway/http/Deadlines"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"

it.effect("interrupts each effect at its own deadline and returns the fallback", () =>
  Effect.gen(function* () {
    const within = yield* Deadlines.make(1_000)
    const log: Array<string> = []
    const ask = (name: string) =>
      within(
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => void log.push(`${name} interrupted`))),
        () => `${name} late`
      ).pipe(
        Effect.map((answer) => void log.push(answer)),
        Effect.uninterruptible,
        Effect.forkChild({ startImmediately: true })
      )
    yield* ask("first")
    yield* TestClock.adjust(600)
    yield* ask("second")
    yield* TestClock.adjust(399)
    assert.deepStrictEqual(log, [])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(log, ["first interrupted", "first late"])
    yield* TestClock.adjust(600)
    assert.deepStrictEqual(log.slice(2), ["second interrupted", "second late"])
  })
)

it.effect("keeps the value, failure or interruption of an effect that ends before its deadline", () =>
  Effect.gen(function* () {
    const within = yield* Deadlines.make(1_000)
    assert.strictEqual(yield* within(Effect.succeed("in time"), () => "late"), "in time")
    assert.strictEqual(yield* Effect.flip(within(Effect.fail("a failure"), () => "late")), "a failure")
    const begun = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkChild(
      within(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never), () => "late")
    )
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(fiber)
    assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
    yield* TestClock.adjust(5_000)
  })
)
