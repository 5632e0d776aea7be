/** A question to a database that hangs: a driver takes it back only when that answers, so it is left behind instead. */
import { Clock, Duration, Effect, Fiber } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

/** Whoever asked hears of a lost connection after so long, and may ask again on another. */
export const after = (duration: Duration.Input) => afterBy((timeout) => timeout, duration)

/**
 * The same by the clock of the machine, of a question that is asked again and again: a test that lets a month pass in a moment
 * makes no database silent.
 */
export const afterByMachineClock = (duration: Duration.Input) =>
  afterBy((timeout) => Effect.provideService(timeout, Clock.Clock, Clock.Clock.defaultValue()), duration)

const afterBy =
  (timed: <A, E, R>(timeout: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>, duration: Duration.Input) =>
  <A, E, R>(question: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const asking = yield* Effect.forkDetach(Effect.interruptible(question))
        return yield* restore(
          timed(Effect.timeoutOrElse(Fiber.join(asking), { duration, orElse: () => Effect.fail(silent(duration)) }))
        ).pipe(Effect.ensuring(Effect.forkDetach(Fiber.interrupt(asking))))
      })
    )

/** What is said of a database that has answered nothing for so long. */
export const silent = (duration: Duration.Input): SqlError => {
  const message = `no answer for ${Duration.toSeconds(duration)} s`
  return new SqlError({ reason: new ConnectionError({ cause: new Error(message), message }) })
}
