/** Runs work at regular intervals. The timer stops while there is nothing to do. */
import { Clock, Effect, Latch, type Scope } from "effect"

export interface Beat {
  /** Schedules the work for the end of the current interval. Further calls before then have no effect. */
  readonly start: () => void
}

/** Runs `work` at each interval while needed. `work` returns whether to run again one interval later. */
export const make = Effect.fnUntraced(function* (
  everyMillis: number,
  work: Effect.Effect<boolean>
): Effect.fn.Return<Beat, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const needed = Latch.makeUnsafe(false)
  const step = Effect.gen(function* () {
    const isIdle = !needed.isOpen()
    yield* needed.await
    // After an idle period, waits until the next multiple of the interval. This wait is half an interval on average.
    yield* Effect.sleep(isIdle ? everyMillis - (clock.currentTimeMillisUnsafe() % everyMillis) : everyMillis)
    // Closed before the work, so that a call of `start` during the work schedules another run.
    needed.closeUnsafe()
    if (yield* work) needed.openUnsafe()
  })
  yield* Effect.forkScoped(Effect.forever(step))
  return {
    start: () => {
      needed.openUnsafe()
    }
  }
})
