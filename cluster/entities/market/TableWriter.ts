/** What writes a read table goes on for as long as its scope is open, whatever becomes of one write. */
import { Effect, Schedule } from "effect"

export const start = <E, R>(tables: string, write: Effect.Effect<never, E, R>) =>
  write.pipe(
    Effect.retry(Schedule.spaced("500 millis")),
    // A fault of ours, in one row or in passing: the tables stand still meanwhile, and it is said.
    Effect.tapDefect((defect) => Effect.logError(`${tables} are not written on`, defect)),
    Effect.sandbox,
    Effect.retry(Schedule.spaced("5 seconds")),
    Effect.forkScoped
  )
