/** Ends what takes too long: one timer looks after all requests of an address, so that none needs one of its own. */
import { Cause, Clock, Effect, type Fiber, Latch, type Scope } from "effect"

/**
 * Runs it, and `orElse` instead of what is left of it once its time is over. The fiber counts as interrupted then, so
 * whatever follows in it must be uninterruptible, as the answer to a request is.
 */
export type Within = <A, E, R>(self: Effect.Effect<A, E, R>, orElse: () => A) => Effect.Effect<A, E, R>

export const make = Effect.fnUntraced(function* (deadlineMillis: number): Effect.fn.Return<Within, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  /** What began first is over first, and a set keeps the order. */
  const running = new Set<Running>()
  const some = Latch.makeUnsafe(false)

  const endOldest = Effect.gen(function* () {
    yield* some.await
    const [oldest] = running
    if (oldest === undefined) return some.closeUnsafe()
    const leftMillis = oldest.endsAtMillis - clock.currentTimeMillisUnsafe()
    if (leftMillis > 0) return yield* Effect.sleep(leftMillis)
    running.delete(oldest)
    oldest.isOver = true
    oldest.fiber.interruptUnsafe()
  })
  yield* Effect.forkScoped(Effect.forever(endOldest))

  return (self, orElse) =>
    Effect.withFiber((fiber) => {
      const one: Running = { fiber, endsAtMillis: clock.currentTimeMillisUnsafe() + deadlineMillis, isOver: false }
      running.add(one)
      some.openUnsafe()
      const forget = () => {
        running.delete(one)
        return undefined
      }
      return Effect.onExitPrimitive(Effect.interruptible(self), forget).pipe(
        Effect.catchCause((cause) =>
          one.isOver && Cause.hasInterruptsOnly(cause) ? Effect.sync(orElse) : Effect.failCause(cause)
        )
      )
    })
})

interface Running {
  readonly fiber: Fiber.Fiber<unknown, unknown>
  readonly endsAtMillis: number
  isOver: boolean
}
