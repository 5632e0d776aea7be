/** Logs one line when the database becomes unavailable and one when it is back, whichever caller notices first. */
import { Cause, Context, Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as Outage from "./Outage.ts"

/** Outage state of this process's database. */
export const DatabaseOutage = Context.Reference<Outage.Outage>("@venue/postgres/DatabaseOutage", {
  defaultValue: () =>
    Outage.make({
      begun: (reason) =>
        Effect.logWarning(`the database is unavailable; requests that need it wait or are refused (${reason})`),
      over: (seconds) => Effect.logWarning(`the database is available again after ${seconds} s`)
    })
})

/** Records a database failure as part of the outage, and runs `otherwise` for any other failure. */
export const report = (cause: Cause.Cause<unknown>, otherwise: Effect.Effect<void>): Effect.Effect<void> => {
  const fault = databaseFault(Cause.squash(cause))
  return fault === undefined ? otherwise : failed(fault)
}

export const failed = (fault: Error): Effect.Effect<void> =>
  Effect.flatMap(DatabaseOutage, (outage) => outage.failed(reasonOf(fault)))

export const answered: Effect.Effect<void> = Effect.flatMap(DatabaseOutage, (outage) => outage.answered)

/** Returns the driver's error, even if wrapped as a cause; undefined if it concerns only one statement. */
const databaseFault = (error: unknown): SqlError | undefined => {
  if (isSqlError(error)) return outside.has(error.reason._tag) ? error : undefined
  const cause = causeOf(error)
  if (Cause.isCause(cause)) return databaseFault(Cause.squash(cause))
  return cause === undefined ? undefined : databaseFault(cause)
}

/** Error reasons that concern the whole database. A full disk or a shutdown is an `UnknownError`. */
const outside: ReadonlySet<string> = new Set(["ConnectionError", "AuthenticationError", "UnknownError"])

/** Returns the message of the innermost cause, such as "No space left on device". */
export const reasonOf = (error: unknown): string => {
  const cause = causeOf(error)
  return cause === undefined ? (error as Error).message : reasonOf(cause)
}

const causeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "cause" in error ? (error.cause ?? undefined) : undefined
