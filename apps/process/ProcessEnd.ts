/** Exit of a process: on request, after a fault, or while its database hangs. */
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { Cause, Effect, Exit, Runtime } from "effect"
import * as NodeLog from "./NodeLog.ts"

/**
 * Records whether a stop was requested, and limits the stop's duration. A process with an IPC channel stops when the
 * channel closes, because its supervisor has exited.
 */
export const watch = (stopMillis = usualStopMillis): void => {
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

/**
 * Maximum duration of a stop. Sockets take up to 5 s, cancels for armed connections 5 s more, and in-flight requests
 * 15 s more. The rest is for a database that hangs.
 */
const usualStopMillis = 30_000

/** Exits the process if its stop takes longer than `stopMillis`. */
export const boundTheStop = (stopMillis = usualStopMillis) =>
  setTimeout(() => {
    const cause = DatabaseOutage.isOngoing()
      ? "its database does not respond"
      : "its last requests did not finish, although its database responds"
    const message =
      `the process could not stop within ${stopMillis / 1_000} s, because ${cause}; it exits now. ` +
      "Everything acknowledged is in the journal; the next start continues from there."
    Effect.runSync(NodeLog.announceFailure(message))
    process.exit(1)
  }, stopMillis).unref()
