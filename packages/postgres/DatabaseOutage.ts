/** The one place that says that the database is out, whoever of its users meets that first. */
import { Cause, Context, Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as Outage from "./Outage.ts"

/** A process has one, as it has one database. */
export const DatabaseOutage = Context.Reference<Outage.Outage>("@venue/postgres/DatabaseOutage", {
  defaultValue: () =>
    Outage.make({
      begun: (reason) => Effect.logWarning(`the database is out; what needs it waits or is refused (${reason})`),
      over: (seconds) => Effect.logWarning(`the database is back after ${seconds} s`)
    })
})

/** What went wrong is part of the outage if it is the database that fails; else it is said as `otherwise` says it. */
export const report = (cause: Cause.Cause<unknown>, otherwise: Effect.Effect<void>): Effect.Effect<void> => {
  const fault = databaseFault(Cause.squash(cause))
  return fault === undefined ? otherwise : failed(fault)
}

export const failed = (fault: Error): Effect.Effect<void> =>
  Effect.flatMap(DatabaseOutage, (outage) => outage.failed(reasonOf(fault)))

export const answered: Effect.Effect<void> = Effect.flatMap(DatabaseOutage, (outage) => outage.answered)

/** Where a service has wrapped what the driver says, it is its cause. */
const databaseFault = (error: unknown): SqlError | undefined => {
  if (isSqlError(error)) return outside.has(error.reason._tag) ? error : undefined
  const cause = causeOf(error)
  if (Cause.isCause(cause)) return databaseFault(Cause.squash(cause))
  return cause === undefined ? undefined : databaseFault(cause)
}

/** Not a statement of ours that the database refuses for what it says. A full disk and a stop have no names of their own. */
const outside: ReadonlySet<string> = new Set(["ConnectionError", "AuthenticationError", "UnknownError"])

/** The words of whoever knew first, such as "No space left on device". */
export const reasonOf = (error: unknown): string => {
  const cause = causeOf(error)
  return cause === undefined ? (error as Error).message : reasonOf(cause)
}

const causeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "cause" in error ? (error.cause ?? undefined) : undefined
