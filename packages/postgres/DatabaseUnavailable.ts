/** Error of a service whose database fails or does not respond. */
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
    // The SQL library turns a failed rollback on a lost connection into a defect.
    Effect.catchDefect((defect) =>
      isSqlError(defect) ? Effect.fail(new DatabaseUnavailable({ cause: defect })) : Effect.die(defect)
    )
  )
