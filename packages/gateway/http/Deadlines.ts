/** Request deadlines. One timer serves all requests of a listener. */
import { Cause, Clock, Effect, type Fiber, Latch, type Scope } from "effect"

/**
 * Runs an effect. At the deadline, interrupts it and returns `orElse()`. The fiber then counts as interrupted, so
 * further work, such as sending the response, must be uninterruptible.
 */
export type Within = <A, E, R>(self: Effect.Effect<A, E, R>, orElse: () => A) => Effect.Effect<A, E, R>

export const make = Effect.fnUntraced(function* (deadlineMillis: number): Effect.fn.Return<Within, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  /** Running requests in order of their start, which is also the order of their deadlines. */
  const running = new Set<Running>()
  const hasRunning = Latch.makeUnsafe(false)

  const endOldest = Effect.gen(function* () {
    yield* hasRunning.await
    const [oldest] = running
    if (oldest === undefined) return hasRunning.closeUnsafe()
    const leftMillis = oldest.endsAtMillis - clock.currentTimeMillisUnsafe()
    if (leftMillis > 0) return yield* Effect.sleep(leftMillis)
    running.delete(oldest)
    oldest.isOver = true
    oldest.fiber.interruptUnsafe()
  })
  yield* Effect.forkScoped(Effect.forever(endOldest))

  return (self, orElse) =>
    Effect.withFiber((fiber) => {
      const entry: Running = { fiber, endsAtMillis: clock.currentTimeMillisUnsafe() + deadlineMillis, isOver: false }
      running.add(entry)
      hasRunning.openUnsafe()
      const forget = () => {
        running.delete(entry)
        return undefined
      }
      return Effect.onExitPrimitive(Effect.interruptible(self), forget).pipe(
        Effect.catchCause((cause) =>
          entry.isOver && Cause.hasInterruptsOnly(cause) ? Effect.sync(orElse) : Effect.failCause(cause)
        )
      )
    })
})

interface Running {
  readonly fiber: Fiber.Fiber<unknown, unknown>
  readonly endsAtMillis: number
  isOver: boolean
}
