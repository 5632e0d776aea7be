/** How this process ends: asked to, after a fault, or while its database hangs. */
import { Cause, Exit, Runtime } from "effect"

/**
 * From now on it is known whether somebody asked for the end, and a stop that hangs is cut short. Who was started with a
 * channel is asked when that closes: whoever watched over it is gone.
 */
export const watch = (stopMillis = usualStopMillis): void => {
  // A line that a full disk or a closed pipe does not take is lost, and no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  process.once("SIGTERM", () => (isAskedToStop = true))
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => boundTheStop(stopMillis))
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  // It alone is no reason to live.
  process.channel?.unref()
}

/** A stop that was asked for is a success; Ctrl-C is told from it by 130, as shells expect. */
export const teardown: Runtime.Teardown = (exit, onExit) =>
  isAskedToStop && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? onExit(0)
    : Runtime.defaultTeardown(exit, onExit)

let isAskedToStop = false

/**
 * Sockets are answered within 5 s, what is armed is cancelled within 5 more, and requests are answered within 15 after
 * that; more time is for a database that hangs.
 */
const usualStopMillis = 30_000

/** A stop that hangs ends all the same. */
export const boundTheStop = (stopMillis = usualStopMillis) =>
  setTimeout(() => {
    console.error(
      `venue: it could not stop within ${stopMillis / 1_000} s, since its database does not answer; it ends all the same. ` +
        "Whatever was acknowledged is in the journal, and the next start goes on from there."
    )
    process.exit(1)
  }, stopMillis).unref()
