/** A database server of a test's own, beside the venue that uses it. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as EmbeddedPostgres from "../../apps/dev/postgres/EmbeddedPostgres.ts"
import { Effect, Exit, Redacted, Schedule, Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { readFileSync } from "node:fs"
import { onTestFinished } from "vitest"
import * as DevApp from "./DevApp.ts"

/**
 * The test may stop it as hard as it likes. Unless told, its directory is not the venue's, which would be taken for that of
 * one that was started before.
 */
export async function serve(ofVenue?: string) {
  const dataDir = ofVenue ?? (await DevApp.makeSite()).dataDir
  let scope = Scope.makeUnsafe()
  const start = () =>
    Effect.runPromise(
      EmbeddedPostgres.start({
        dataDir: `${dataDir}/postgres`,
        log: () => Effect.void,
        settings: { fsync: "off" }
      }).pipe(
        // A server that was killed leaves workers behind that take a moment to end.
        Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 50 }),
        Scope.provide(scope)
      )
    )
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const { url } = await start()
  onTestFinished(close)
  return {
    dataDir,
    url: Redacted.value(url),
    stop: async (signal: NodeJS.Signals) => {
      for (const pid of DevApp.postgresOf(dataDir)) process.kill(pid, signal)
      // Else it would be started again half a second later.
      await close()
      await DevApp.until("the database server is gone", () => DevApp.postgresOf(dataDir).length === 0)
    },
    start: async () => {
      scope = Scope.makeUnsafe()
      await start()
    }
  }
}

/** All its sessions stand still, and nothing is committed, until they go on. */
export const halt = (dataDir: string, signal: "SIGSTOP" | "SIGCONT"): void => {
  for (const pid of DevApp.postgresOf(dataDir)) {
    const sessions = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    for (const session of sessions.trim().split(" ")) send(Number(session), signal)
  }
}

/** A session may have ended since it was named. */
const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** One statement, in a session of its own. */
export const run = (url: string, statement: string): Promise<unknown> =>
  Effect.flatMap(PgClient.makeClient({ url: Redacted.make(url) }), (sql) => sql.unsafe(statement)).pipe(
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )
