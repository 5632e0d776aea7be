/** Retries the work that writes a table for queries. */
import { Effect, Schedule } from "effect"

/** Retries after a typed failure every 500 ms and after a defect every 5 s, until the work succeeds. */
export const persist = <A, E, R>(tables: string, write: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  write.pipe(
    Effect.retry(Schedule.spaced("500 millis")),
    // A defect might be a bug that one row triggers. It is logged each time, because the tables fall behind until it
    // is fixed.
    Effect.tapDefect((defect) => Effect.logError(`writing ${tables} failed; retrying every 5 s`, defect)),
    Effect.sandbox,
    Effect.retry(Schedule.spaced("5 seconds")),
    Effect.orDie
  )
