/** The database server that comes with the venue: starts and stops with it, and is found again after a crash. */
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
  /** Holds the database files, or the memory of where they are. */
  readonly dataDir: string
  /** Its database was there before: it is not begun anew where it has gone. */
  readonly isKnown?: boolean
  /** Told each step that takes time. */
  readonly log: Log
  /** Server settings beside our own; a test that never pulls the plug may turn `fsync` off. */
  readonly settings?: Readonly<Record<string, string>>
}

/** The server runs until the scope closes; the url is that of the database `venue`. */
export const start = Effect.fn("EmbeddedPostgres.start")(function* (options: EmbeddedPostgresOptions) {
  const { isKnown = false, log, settings = {} } = options
  const dataDir = resolve(options.dataDir)
  const found = yield* PostgresHome.open(dataDir, log, isKnown)
  const adopted = yield* adopt(found, log).pipe(
    Effect.catchIf(
      (error) => error.reason === inUse,
      ({ step }) => Effect.fail(new EmbeddedPostgresError({ step, reason: `another venue is running on ${dataDir}` }))
    )
  )
  if (Option.isSome(adopted)) return yield* keep(adopted.value, settings, log)

  const home = yield* PostgresHome.ensurePort(dataDir, found)
  if (!(yield* Postmaster.isInitialised(home))) {
    yield* log("Initialising the database")
    yield* Postmaster.initialise(home, settings["fsync"] !== "off")
  }
  yield* log("Starting the database")
  const server = yield* Postmaster.launch(home, settings)
  return yield* keep({ home, server, session: yield* claim(home, server) }, settings, log)
})

/** The url of the server that runs on this data directory, for who only wants to ask it; it is neither begun nor ended. */
export const find = Effect.fn("EmbeddedPostgres.find")(function* (dataDir: string) {
  const home = yield* PostgresHome.open(resolve(dataDir), () => Effect.void, true)
  return Option.map(yield* Postmaster.find(home), (server) => urlOf(home, server, database))
})

interface Claimed {
  readonly home: PostgresHome.PostgresHome
  readonly server: Postmaster.Postmaster
  readonly session: PgClient.PgClient
}

/** A server left by a run that was killed is ours once we hold the lock its dead venue held. */
const adopt = Effect.fnUntraced(function* (found: PostgresHome.PostgresHome, log: Log) {
  const left = yield* Postmaster.find(found)
  if (Option.isNone(left)) return Option.none<Claimed>()
  const server = left.value
  const home = { ...found, port: server.port }
  yield* log("Adopting the database server that an earlier run left behind")
  const answered = yield* claim(home, server).pipe(
    Effect.retry({ while: (error) => error.reason !== inUse, schedule: Schedule.spaced("100 millis") }),
    Effect.map(Option.some),
    Effect.raceFirst(Effect.as(gone(home), Option.none<PgClient.PgClient>())),
    Effect.timeoutOption("15 seconds")
  )
  if (Option.isNone(answered)) {
    yield* log("It does not answer; ending it")
    yield* Postmaster.end(home, server.pid)
  }
  return Option.map(Option.flatten(answered), (session): Claimed => ({ home, server, session }))
})

/** It may have been stopping when we came. */
const gone = (home: PostgresHome.PostgresHome) =>
  Postmaster.find(home).pipe(Effect.repeat({ until: Option.isNone, schedule: Schedule.spaced("100 millis") }))

/**
 * Ends the server before the claim on it is let go, so that nobody adopts a server about to stop. One that dies by itself
 * is started again: what was committed is there, and the venue reads it back.
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
    over: (seconds) => log(`The database server runs again after ${seconds} s`)
  })
  const revive = Effect.gen(function* () {
    if (Option.isSome(yield* Postmaster.find(home))) return yield* outage.answered
    yield* outage.failed("The database server is gone; starting it again")
    running = yield* Postmaster.launch(home, settings)
    yield* claim(home, running)
  })
  // Tried twice a second; why is told once, as what comes of it is.
  const why = Outage.make({ begun: log, over: () => Effect.void })
  yield* Effect.matchEffect(revive, {
    onFailure: (error) => why.failed(error.message),
    onSuccess: () => why.answered
  }).pipe(Effect.delay("500 millis"), Effect.forever, Effect.forkScoped)
  const present = yield* asking(session`select 1 from pg_database where datname = ${database}`)
  if (present.length === 0) yield* asking(session`create database ${session(database)}`)
  return { url: urlOf(home, server, database) }
})

const database = "venue"
const inUse = "another venue is running on this data directory"

/**
 * One session holds a lock for as long as the venue lives, and the server lets it go the moment the venue dies: this tells an
 * orphaned server from one in use, where a process id could not.
 */
const claim = Effect.fnUntraced(function* (home: PostgresHome.PostgresHome, server: Postmaster.Postmaster) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const locked = Effect.gen(function* () {
    const session = yield* asking(
      PgClient.makeClient({ url: urlOf(home, server, "postgres"), applicationName: embeddedClaim })
    )
    const [answer] = yield* asking(session<{ directory: string; locked: boolean }>`
      select current_setting('data_directory') as directory, pg_try_advisory_lock(${lockKey}) as locked`)
    if (answer?.directory !== home.data) return yield* refused("another server answers on its port")
    return answer.locked ? session : yield* refused(inUse)
  })
  return yield* locked.pipe(
    // A venue killed just now is still being cleaned up after.
    Effect.retry({ while: (error) => error.reason === inUse, schedule: Schedule.spaced("100 millis"), times: 20 }),
    Effect.provideService(Scope.Scope, scope),
    Effect.provide(Reactivity.layer),
    Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void))
  )
})

const lockKey = 4_000

const refused = (reason: string) => new EmbeddedPostgresError({ step: "take the database", reason })

const asking = <A, E extends Error, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(
    effect,
    (cause) => new EmbeddedPostgresError({ step: "ask the database", reason: cause.message, cause })
  )

/** Over the Unix socket where there is one, since that costs both sides less; without its query the url is that of the port. */
const urlOf = (
  { password }: PostgresHome.PostgresHome,
  { port, socketFolder }: Postmaster.Postmaster,
  name: string
) => {
  const url = `postgres://${Postmaster.superuser}:${Redacted.value(password)}@127.0.0.1:${port}/${name}`
  return Redacted.make(socketFolder === undefined ? url : `${url}?host=${encodeURIComponent(socketFolder)}`)
}
