/** What services on SQL say when the database does not answer as it should. */
import { Effect, Schema } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  cause: Schema.Defect()
}) {}

export const orUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError> | DatabaseUnavailable, R> =>
  effect.pipe(
    Effect.mapError((error) =>
      isSqlError(error) ? new DatabaseUnavailable({ cause: error }) : (error as Exclude<E, SqlError>)
    ),
    // A transaction whose connection dies cannot be rolled back, and the library makes a defect of that.
    Effect.catchDefect((defect) =>
      isSqlError(defect) ? Effect.fail(new DatabaseUnavailable({ cause: defect })) : Effect.die(defect)
    )
  )
