/** Work at even steps of time, done only while there is some: what waits for nothing sets no timer. */
import { Clock, Effect, Latch, type Scope } from "effect"

export interface Beat {
  /** There is work to do at the next step, which is at most one away. Cheap, and may be repeated. */
  readonly start: () => void
}

/** `work` answers whether there is more to do a step later. */
export const make = Effect.fnUntraced(function* (
  everyMillis: number,
  work: Effect.Effect<boolean>
): Effect.fn.Return<Beat, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const needed = Latch.makeUnsafe(false)
  const step = Effect.gen(function* () {
    const isIdle = !needed.isOpen()
    yield* needed.await
    // From rest to the next whole step: on average work waits for half of one, as if the steps had gone on.
    yield* Effect.sleep(isIdle ? everyMillis - (clock.currentTimeMillisUnsafe() % everyMillis) : everyMillis)
    // Before the work, so that what is started while it is done has a step of its own.
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
