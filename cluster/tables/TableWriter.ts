/** What writes a read table goes on until it is done, whatever becomes of one write. */
import { Effect, Schedule } from "effect"

export const persist = <A, E, R>(tables: string, write: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  write.pipe(
    Effect.retry(Schedule.spaced("500 millis")),
    // A fault of ours, in one row or in passing: the tables stand still meanwhile, and it is said.
    Effect.tapDefect((defect) => Effect.logError(`${tables} are not written on`, defect)),
    Effect.sandbox,
    Effect.retry(Schedule.spaced("5 seconds")),
    Effect.orDie
  )
