/** What a process of this machine was started as. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { attempt, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/** Its program and arguments with blanks between; empty for one that has ended and waits to be asked how. Fails for a pid of nobody. */
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
