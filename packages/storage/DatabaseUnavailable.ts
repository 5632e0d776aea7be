/** What services on SQL say when the database does not answer as it should. */
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"

export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  cause: Schema.Defect()
}) {}

export const orUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError> | DatabaseUnavailable, R> =>
  Effect.mapError(effect, (error) =>
    isSqlError(error) ? new DatabaseUnavailable({ cause: error }) : (error as Exclude<E, SqlError>)
  )

const isSqlError = (error: unknown): error is SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"
