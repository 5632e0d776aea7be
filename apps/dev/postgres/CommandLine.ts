/** Command line of a process on this machine. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { attempt, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/**
 * Returns the program and its arguments, separated by spaces, or an empty string for a zombie. Fails if no process
 * has the pid.
 */
export const commandLine = (pid: number): Effect.Effect<string, EmbeddedPostgresError> =>
  process.platform === "linux"
    ? Effect.map(
        attempt("look", () => readFile(`/proc/${pid}/cmdline`, "utf8")),
        (text) => text.replaceAll("\0", " ")
      )
    : Effect.callback<string, EmbeddedPostgresError>((resume) => {
        execFile("ps", ["-o", "args=", "-ww", "-p", String(pid)], (cause, stdout) =>
          resume(
            cause === null
              ? Effect.succeed(stdout)
              : Effect.fail(new EmbeddedPostgresError({ step: "look", reason: cause.message, cause }))
          )
        )
      })
