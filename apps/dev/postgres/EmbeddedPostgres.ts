/** Embedded database server. Starts and stops with the venue, and is adopted by the next venue after a crash. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { resolve } from "node:path"
import { Effect, Exit, Option, Redacted, Schedule, Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { embeddedClaim } from "@venue/postgres/EmbeddedClaim"
import * as Outage from "@venue/postgres/Outage"
import * as PostgresHome from "./PostgresHome.ts"
import * as Postmaster from "./Postmaster.ts"
import type { Log } from "./PostgresPrograms.ts"

export { EmbeddedPostgresError }

export interface EmbeddedPostgresOptions {
  /** Directory of the database files, or of the file with their location. */
  readonly dataDir: string
  /** Whether the database existed before. If so, a missing database is an error. */
  readonly isKnown?: boolean
  /** Logs each step that takes time. */
  readonly log: Log
  /** Additional server settings. A test without power cuts can turn `fsync` off. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts the server, which runs until the scope closes. Returns the URL of the database `venue`. */
export const start = Effect.fn("EmbeddedPostgres.start")(function* (options: EmbeddedPostgresOptions) {
  const { isKnown = false, log, settings = {} } = options
  const dataDir = resolve(options.dataDir)
  const remembered = yield* PostgresHome.open(dataDir, log, isKnown)
  const adopted = yield* adopt(remembered, log).pipe(
    Effect.catchIf(
      (error) => error.reason === inUse,
      ({ step }) => Effect.fail(new EmbeddedPostgresError({ step, reason: `another venue is running on ${dataDir}` }))
    )
  )
  if (Option.isSome(adopted)) return yield* keep(adopted.value, settings, log)

  const home = yield* PostgresHome.ensurePort(dataDir, remembered)
  if (!(yield* Postmaster.isInitialised(home))) {
    yield* log("Initialising the database")
    yield* Postmaster.initialise(home, settings["fsync"] !== "off")
  }
  yield* log("Starting the database")
  const server = yield* Postmaster.launch(home, settings)
  return yield* keep({ home, server, session: yield* claim(home, server) }, settings, log)
})

/** Returns the URL of this data directory's running server. Neither starts nor stops a server. */
export const find = Effect.fn("EmbeddedPostgres.find")(function* (dataDir: string) {
  const home = yield* PostgresHome.open(resolve(dataDir), () => Effect.void, true)
  return Option.map(yield* Postmaster.find(home), (server) => urlOf(home, server, database))
})

interface Claimed {
  readonly home: PostgresHome.PostgresHome
  readonly server: Postmaster.Postmaster
  readonly session: PgClient.PgClient
}

/** Takes over a server that a killed run left behind, after the dead venue's lock has become free. */
const adopt = Effect.fnUntraced(function* (remembered: PostgresHome.PostgresHome, log: Log) {
  const left = yield* Postmaster.find(remembered)
  if (Option.isNone(left)) return Option.none<Claimed>()
  const server = left.value
  const home = { ...remembered, port: server.port }
  yield* log("Using the database server that an earlier run left running")
  const answered = yield* claim(home, server).pipe(
    Effect.retry({ while: (error) => error.reason !== inUse, schedule: Schedule.spaced("100 millis") }),
    Effect.map(Option.some),
    Effect.raceFirst(Effect.as(gone(home), Option.none<PgClient.PgClient>())),
    Effect.timeoutOption("15 seconds")
  )
  if (Option.isNone(answered)) {
    yield* log("The server does not respond; stopping it")
    yield* Postmaster.end(home, server.pid)
  }
  return Option.map(Option.flatten(answered), (session): Claimed => ({ home, server, session }))
})

/** Waits until a server that was already stopping has exited. */
const gone = (home: PostgresHome.PostgresHome) =>
  Postmaster.find(home).pipe(Effect.repeat({ until: Option.isNone, schedule: Schedule.spaced("100 millis") }))

/**
 * Stops the server before its lock is released, so that no venue adopts a stopping server. Restarts a server that
 * crashes. Committed rows remain, and the venue reads them back.
 */
const keep = Effect.fnUntraced(function* (
  { home, server, session }: Claimed,
  settings: Readonly<Record<string, string>>,
  log: Log
) {
  let running = server
  yield* Effect.addFinalizer(() => Effect.catch(Postmaster.end(home, running.pid), (error) => log(error.message)))
  const outage = Outage.make({
    begun: log,
    over: (seconds) => log(`The database server is running again after ${seconds} s`)
  })
  const revive = Effect.gen(function* () {
    if (Option.isSome(yield* Postmaster.find(home))) return yield* outage.answered
    yield* outage.failed("The database server has exited; restarting it")
    running = yield* Postmaster.launch(home, settings)
    yield* claim(home, running)
  })
  // Retries twice a second, and logs an outage's first failure.
  const why = Outage.make({ begun: log, over: () => Effect.void })
  yield* Effect.matchEffect(revive, {
    onFailure: (error) => why.failed(error.message),
    onSuccess: () => why.answered
  }).pipe(Effect.delay("500 millis"), Effect.forever, Effect.forkScoped)
  const present = yield* querying(session`select 1 from pg_database where datname = ${database}`)
  if (present.length === 0) yield* querying(session`create database ${session(database)}`)
  return { url: urlOf(home, server, database) }
})

const database = "venue"
const inUse = "another venue is running on this data directory"

/**
 * Holds a lock in one session while the venue runs. The server releases the lock if the venue crashes. Unlike a
 * process id, the lock distinguishes an orphaned server from one in use.
 */
const claim = Effect.fnUntraced(function* (home: PostgresHome.PostgresHome, server: Postmaster.Postmaster) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const locked = Effect.gen(function* () {
    const session = yield* querying(
      PgClient.makeClient({ url: urlOf(home, server, "postgres"), applicationName: embeddedClaim })
    )
    const [answer] = yield* querying(session<{ directory: string; locked: boolean }>`
      select current_setting('data_directory') as directory, pg_try_advisory_lock(${lockKey}) as locked`)
    if (answer?.directory !== home.data) return yield* refused("another server uses the database's port")
    return answer.locked ? session : yield* refused(inUse)
  })
  return yield* locked.pipe(
    // A killed venue's session might still be closing.
    Effect.retry({ while: (error) => error.reason === inUse, schedule: Schedule.spaced("100 millis"), times: 20 }),
    Effect.provideService(Scope.Scope, scope),
    Effect.provide(Reactivity.layer),
    Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void))
  )
})

const lockKey = 4_000

const refused = (reason: string) => new EmbeddedPostgresError({ step: "lock the database", reason })

const querying = <A, E extends Error, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(
    effect,
    (cause) => new EmbeddedPostgresError({ step: "query the database", reason: cause.message, cause })
  )

/**
 * Returns the URL for the Unix socket if there is one, because it is faster. Remove the query string to get the TCP
 * URL.
 */
const urlOf = (
  { password }: PostgresHome.PostgresHome,
  { port, socketFolder }: Postmaster.Postmaster,
  name: string
) => {
  const url = `postgres://${Postmaster.superuser}:${Redacted.value(password)}@127.0.0.1:${port}/${name}`
  return Redacted.make(socketFolder === undefined ? url : `${url}?host=${encodeURIComponent(socketFolder)}`)
}
