/** Exit of a process: on request, after a fault, or while its database hangs. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import { Cause, Effect, Exit, type Redacted, Runtime } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as NodeLog from "./NodeLog.ts"
import * as Setting from "./Setting.ts"

/**
 * Records whether a stop was requested, and limits the stop's duration. A process with an IPC channel stops when the
 * channel closes, because its supervisor has exited.
 */
export const watch = (stopMillis?: number): void => {
  // A line that a full disk or a closed pipe rejects is lost, and the process continues.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  process.once("SIGTERM", () => (isStopRequested = true))
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => boundTheStop(stopMillis))
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  // An open channel alone does not keep the process alive.
  process.channel?.unref()
}

/** Exits with 0 after a requested stop, and with 130 after Ctrl-C, as shells expect. */
export const teardown: Runtime.Teardown = (exit, onExit) =>
  isStopRequested && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? onExit(0)
    : Runtime.defaultTeardown(exit, onExit)

let isStopRequested = false

const usualStopSeconds = 30

/** Limit for a stop without a limit of its own. */
export const limit = Setting.int("VENUE_STOP_SECONDS", {
  default: usualStopSeconds,
  unit: "s",
  meaning: "Maximum duration of a stop, 1 to 3600. The grace period of a container platform must be longer",
  readers: Setting.services,
  changes: "process"
})

/**
 * Maximum duration of a stop. Sockets take up to 5 s, cancels for armed connections 5 s more, and in-flight requests
 * 15 s more. The rest of the default is for a database that hangs.
 */
let usualStopMillis = usualStopSeconds * 1_000

/** Sets the limit for stops without a limit of their own. */
export const setLimit = (seconds: number): void => void (usualStopMillis = seconds * 1_000)

/** Records the process's database, so that a stop that takes too long can state whether the database responds. */
export const usesDatabase = (url: Redacted.Redacted): void => void (database = url)

let database: Redacted.Redacted | undefined

/** Exits the process if its stop takes longer than `stopMillis`. Shortly before, tests whether the database responds. */
export const boundTheStop = (stopMillis = usualStopMillis): void => {
  let cause = database === undefined ? "its last requests did not finish" : "its database does not respond"
  const probe = async () => {
    if (database !== undefined && Exit.isSuccess(await Effect.runPromiseExit(query(database))))
      cause = "its last requests did not finish, although the database accepts a new session"
  }
  setTimeout(() => void probe(), Math.max(0, stopMillis - probeMillis)).unref()
  setTimeout(() => {
    const message =
      `the process could not stop within ${stopMillis / 1_000} s, because ${cause}; the process exits now. ` +
      "All acknowledged commands are in the journal; the next start continues from there."
    Effect.runSync(NodeLog.announceFailure(message))
    process.exit(1)
  }, stopMillis).unref()
}

/** Time for the query that tests the database. */
const probeMillis = 3_000

const query = (url: Redacted.Redacted) =>
  Effect.flatMap(DatabaseClient.makeClient({ url, connectTimeout: probeMillis }), (sql) => sql`select 1`).pipe(
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )
