/** Value that a query provides for scrapes, at most once per interval, however often the metrics are scraped. */
import { Clock, Effect, Exit } from "effect"

export interface CachedOptions {
  /** Minimum time between two queries. */
  readonly everyMillis: number
  /** Age above which the value is not returned any longer. */
  readonly keptMillis: number
}

/**
 * Returns a function that returns the last value. It starts the query in the background if the value is old, so that a
 * scrape never waits. Failures leave the last value in place.
 */
export const make = Effect.fnUntraced(function* <A, E>(
  query: Effect.Effect<A, E>,
  { everyMillis, keptMillis }: CachedOptions
) {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const scope = yield* Effect.scope
  const now = () => clock.currentTimeMillisUnsafe()
  let isRunning = false
  let askedMillis = -Infinity
  let last: { readonly value: A; readonly atMillis: number } | undefined

  const refresh = Effect.onExit(query, (exit) =>
    Effect.sync(() => {
      isRunning = false
      if (Exit.isSuccess(exit)) last = { value: exit.value, atMillis: now() }
    })
  )
  return (): A | undefined => {
    if (!isRunning && now() - askedMillis >= everyMillis) {
      isRunning = true
      askedMillis = now()
      run(Effect.forkIn(Effect.ignore(refresh), scope))
    }
    return last !== undefined && now() - last.atMillis <= keptMillis ? last.value : undefined
  }
})
