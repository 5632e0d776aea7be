/**
 * Query timeouts. The driver can cancel a query only if the database responds, so a hanging query is abandoned
 * instead.
 */
import { Clock, Duration, Effect, Fiber } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

/** Fails with a connection error after `duration`; the caller can retry on another connection. */
export const after = (duration: Duration.Input) => afterBy((timeout) => timeout, duration)

/**
 * Like `after`, but measured with the machine's clock. For periodic queries: a test that advances its own clock by a
 * month must not make the database appear unresponsive.
 */
export const afterByMachineClock = (duration: Duration.Input) =>
  afterBy((timeout) => Effect.provideService(timeout, Clock.Clock, Clock.Clock.defaultValue()), duration)

const afterBy =
  (timed: <A, E, R>(timeout: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>, duration: Duration.Input) =>
  <A, E, R>(query: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const running = yield* Effect.forkDetach(Effect.interruptible(query))
        return yield* restore(
          timed(Effect.timeoutOrElse(Fiber.join(running), { duration, orElse: () => Effect.fail(silent(duration)) }))
        ).pipe(Effect.ensuring(Effect.forkDetach(Fiber.interrupt(running))))
      })
    )

/** Returns the error for a database that has not responded for `duration`. */
export const silent = (duration: Duration.Input): SqlError => {
  const message = `no response for ${Duration.toSeconds(duration)} s`
  return new SqlError({ reason: new ConnectionError({ cause: new Error(message), message }) })
}
