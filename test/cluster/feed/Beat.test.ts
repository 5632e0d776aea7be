/** Tests of beats: periodic work whose timers run only while work exists. */
import * as Beat from "@venue/cluster/feed/Beat"
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { counted } from "../../Wakes.ts"

it.effect("runs the work after each interval until no work is left, and then sets no timer", () =>
  Effect.gen(function* () {
    const { clock, wakes } = yield* counted
    yield* Effect.gen(function* () {
      const doneAtMillis: Array<number> = []
      let left = 3
      const beat = yield* Beat.make(
        100,
        Effect.sync(() => {
          doneAtMillis.push(clock.currentTimeMillisUnsafe())
          return --left > 0
        })
      )
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(wakes(), 0)
      const start = clock.currentTimeMillisUnsafe()
      beat.start()
      beat.start()
      yield* TestClock.adjust("1 hour")
      assert.deepEqual(
        doneAtMillis.map((at) => at - start),
        [100, 200, 300]
      )
      assert.strictEqual(wakes(), 3)
    }).pipe(Effect.provideService(Clock.Clock, clock))
  })
)

it.effect("a start during a run schedules one more run", () =>
  Effect.gen(function* () {
    let done = 0
    const beat: Beat.Beat = yield* Beat.make(
      100,
      Effect.sync(() => {
        if (++done === 1) beat.start()
        return false
      })
    )
    beat.start()
    yield* TestClock.adjust("1 second")
    assert.strictEqual(done, 2)
  })
)
