/** A database server that a test starts, stops and freezes. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as EmbeddedPostgres from "../../apps/dev/postgres/EmbeddedPostgres.ts"
import { Effect, Exit, Redacted, Schedule, Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { onTestFinished } from "vitest"
import * as DevApp from "./DevApp.ts"
import * as Signals from "./Signals.ts"

/**
 * Starts a database server, by default in a new data directory. If the directory belongs to a venue, that venue
 * treats the server as its own, left over from an earlier start.
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
        // Worker processes of a killed server keep its files open for a moment.
        Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 500 }),
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
      // Closes the scope, which would otherwise restart the server after 500 ms.
      await close()
      await DevApp.until("the database server is gone", () => DevApp.postgresOf(dataDir).length === 0)
    },
    start: async () => {
      scope = Scope.makeUnsafe()
      await start()
    }
  }
}

/** Freezes or resumes every session of the server. Frozen sessions cannot commit. */
export const halt = (dataDir: string, signal: "SIGSTOP" | "SIGCONT"): void => {
  for (const pid of DevApp.postgresOf(dataDir)) {
    for (const session of Signals.childrenOf(pid)) Signals.signal(session, signal)
  }
}

/** Stops or continues the whole server, which then also answers no new session. */
export const haltServer = (dataDir: string, signal: "SIGSTOP" | "SIGCONT"): void => {
  halt(dataDir, signal)
  for (const pid of DevApp.postgresOf(dataDir)) Signals.signal(pid, signal)
}

/** Begins a transaction with this statement. Returns the function that rolls it back. */
export const hold = async (url: string, statement: string): Promise<() => Promise<void>> => {
  const scope = Scope.makeUnsafe()
  const connection = await PgClient.makeClient({ url: Redacted.make(url) }).pipe(
    Effect.flatMap((sql) => sql.reserve),
    Effect.tap((session) => session.executeValues("begin", [])),
    Effect.tap((session) => session.executeValues(statement, [])),
    Effect.provide(Reactivity.layer),
    Scope.provide(scope),
    Effect.runPromise
  )
  let isOver = false
  const release = async () => {
    if (isOver) return
    isOver = true
    await Effect.runPromise(connection.executeValues("rollback", []))
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
  onTestFinished(release)
  return release
}

/** Runs one statement in a new session. */
export const run = (url: string, statement: string): Promise<unknown> =>
  Effect.flatMap(PgClient.makeClient({ url: Redacted.make(url) }), (sql) => sql.unsafe(statement)).pipe(
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )
