/** The server process of one Postgres data directory: initialised, launched, recognised, ended. */
import { spawn } from "node:child_process"
import { chown, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { Effect, Option, Redacted, Schedule } from "effect"
import { commandLine } from "./CommandLine.ts"
import { attempt, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import type { PostgresHome } from "./PostgresHome.ts"
import { environment, run } from "./PostgresPrograms.ts"

export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** The folder of its Unix socket; absent of a server that listens on its port alone. */
  readonly socketFolder: string | undefined
  readonly ready: boolean
}

export const superuser = "venue"

/** Made under another name and moved when whole, so that a start cut short leaves nothing half made. */
export const initialise = Effect.fn("Postmaster.initialise")(function* (home: PostgresHome, durable: boolean) {
  const step = "initialise the database"
  const names = yield* attempt(step, () => readdir(home.directory))
  for (const name of names.filter((name) => name.startsWith("initialising-"))) {
    yield* attempt(step, () => rm(join(home.directory, name), { recursive: true, force: true }))
  }
  const making = yield* attempt(step, () => mkdtemp(join(home.directory, "initialising-")))
  const data = join(making, "data")
  const passwordFile = join(making, "password")
  yield* attempt(step, () => mkdir(data, { mode: 0o700 }))
  yield* attempt(step, () => writeFile(passwordFile, Redacted.value(home.password), { mode: 0o600 }))
  const { owner } = home
  if (owner !== undefined) {
    yield* Effect.forEach([making, data, passwordFile], (path) =>
      attempt(step, () => chown(path, owner.uid, owner.gid))
    )
  }
  yield* run(
    step,
    join(home.programs, "initdb"),
    [
      `--pgdata=${data}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      ...(durable ? [] : ["--no-sync"])
    ],
    owner
  )
  yield* attempt(step, () => rename(data, home.data).then(() => rm(making, { recursive: true })))
})

export const isInitialised = (home: PostgresHome) =>
  Effect.isSuccess(attempt("look for the database", () => stat(join(home.data, "PG_VERSION"))))

/** The live server of this data directory, if there is one; a stale pid file, or one whose pid is now another program, is none. */
export const find = Effect.fn("Postmaster.find")(function* (home: PostgresHome) {
  const lines = yield* pidLines(home)
  const pid = Number(lines[0])
  if (!(yield* serves(pid, home))) return Option.none<Postmaster>()
  return Option.some<Postmaster>({
    pid,
    port: Number(lines[3]),
    socketFolder: lines[4] || undefined,
    ready: lines[7]?.trim() === "ready"
  })
})

const pidFile = (home: PostgresHome) => join(home.data, "postmaster.pid")

const pidLines = (home: PostgresHome) => linesOf(pidFile(home))

const linesOf = (file: string) =>
  attempt("read", () => readFile(file, "utf8")).pipe(
    Effect.map((text) => text.split("\n")),
    Effect.orElseSucceed(() => [])
  )

/**
 * After a power cut a remembered pid may be some other program of ours, and Postgres would refuse to start beside it; so it
 * would beside a dead server that nobody has reaped. A pid of nobody is left to Postgres. It finds orphans of the dead
 * server in any case.
 */
const forgetStrangers = Effect.fnUntraced(function* (home: PostgresHome) {
  for (const file of [pidFile(home), join(home.directory, `${socketName(home.port)}.lock`)]) {
    const pid = Number((yield* linesOf(file))[0])
    const args = yield* Effect.option(commandLine(pid))
    if (Option.isNone(args)) continue
    const isServer = args.value === "" || args.value.includes(home.data)
    if (isServer && !(yield* isUnreaped(pid))) continue
    yield* attempt("forget a server long gone", () => rm(file))
  }
})

/** Returns when the server takes connections. One that was killed just now, and its workers, take a moment to be gone. */
export const launch = Effect.fn("Postmaster.launch")((home: PostgresHome, settings: Readonly<Record<string, string>>) =>
  Effect.retry(launchOnce(home, settings), {
    while: ({ reason }) => /lock file "postmaster\.pid" already exists|is still in use/.test(reason),
    schedule: Schedule.spaced("200 millis"),
    times: 50
  })
)

/** The server lives in a group of its own: Ctrl-C is for us to pass on, after our last write. */
const launchOnce = Effect.fnUntraced(function* (home: PostgresHome, settings: Readonly<Record<string, string>>) {
  const step = "start the database"
  yield* forgetStrangers(home)
  const hasSocket = yield* canHoldSocket(home)
  const logFile = join(home.directory, "server.log")
  const flags = Object.entries({
    ...always,
    // Its own folder, where only its user and root may go.
    unix_socket_directories: hasSocket ? `"${home.directory.replaceAll('"', '""')}"` : "",
    ...settings,
    port: String(home.port)
  })
  const log = yield* attempt(step, () => open(logFile, "w", 0o600))
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(
        join(home.programs, "postgres"),
        ["-D", home.data, ...flags.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
        {
          ...home.owner,
          cwd: "/",
          env: environment,
          detached: true,
          stdio: ["ignore", log.fd, log.fd]
        }
      )
    ),
    ({ pid = 0 }) => Effect.ignore(end(home, pid))
  )
  child.unref()
  const ended = Effect.callback<never, EmbeddedPostgresError>((resume) => {
    child.once("error", (cause) =>
      resume(Effect.fail(new EmbeddedPostgresError({ step, reason: cause.message, cause })))
    )
    child.once("exit", () =>
      resume(
        Effect.flatMap(
          attempt(step, () => readFile(logFile, "utf8")),
          (text) => Effect.fail(new EmbeddedPostgresError({ step, reason: `${faultIn(text)}; ${logFile} says more` }))
        )
      )
    )
  })
  const ready = find(home).pipe(
    Effect.repeat({
      until: (found) => Option.isSome(found) && found.value.pid === child.pid && found.value.ready,
      schedule: Schedule.spaced("20 millis")
    }),
    Effect.map((found) => Option.getOrThrow(found))
  )
  return yield* Effect.raceFirst(ready, ended).pipe(Effect.ensuring(Effect.promise(() => log.close())))
})

/** Its last words, without the time and the process they begin with. */
const faultIn = (log: string): string =>
  log
    .split("\n")
    .flatMap((line) => /(?:FATAL|PANIC): +(.+)/.exec(line)?.[1] ?? [])
    .at(-1) ?? "it ended by itself"

/** Not where the path is longer than the system takes, nor on a file system without sockets: the port does then. */
const canHoldSocket = ({ directory, port }: PostgresHome) => {
  if (Buffer.byteLength(join(directory, socketName(port))) > maxSocketBytes) return Effect.succeed(false)
  return Effect.callback<boolean>((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(join(directory, `.try.${process.pid}`), () => server.close(() => resume(Effect.succeed(true))))
  })
}

/** The path of a socket may have so many bytes on the strictest system. */
const maxSocketBytes = 103

const socketName = (port: number) => `.s.PGSQL.${port}`

/** Politely first: open transactions are rolled back and all is written. Then harder, which the next start repairs. */
export const end = Effect.fn("Postmaster.end")(function* (home: PostgresHome, pid: number) {
  for (const [signal, seconds] of [
    ["SIGINT", 20],
    ["SIGQUIT", 5]
  ] as const) {
    if (!(yield* serves(pid, home))) return
    yield* Effect.ignore(attempt("end the database", () => process.kill(pid, signal)))
    const gone = serves(pid, home).pipe(
      Effect.repeat({ until: (serving) => !serving, schedule: Schedule.spaced("20 millis") }),
      Effect.timeoutOption(`${seconds} seconds`)
    )
    if (Option.isSome(yield* gone)) return
  }
  return yield* new EmbeddedPostgresError({ step: "end the database", reason: `process ${pid} does not stop` })
})

/** A pid says nothing by itself: the process must be a server of exactly this data directory. */
const serves = (pid: number, home: PostgresHome) =>
  commandLine(pid).pipe(
    Effect.map((args) => args.includes(`-D ${home.data} `)),
    Effect.orElseSucceed(() => false)
  )

/** It has ended, and its parent has not asked how. Where there is no `/proc`, its command line says as much. */
const isUnreaped = (pid: number) =>
  attempt("look", () => readFile(`/proc/${pid}/stat`, "utf8")).pipe(
    // The name in brackets may hold anything, brackets too.
    Effect.map((text) => /^[ZX]/.test(text.slice(text.lastIndexOf(")") + 2))),
    Effect.orElseSucceed(() => false)
  )

/** Said at every start, so that no edited file can weaken what an acknowledgement promises. */
const always = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  listen_addresses: "127.0.0.1",
  unix_socket_permissions: "0700",
  max_connections: "200",
  // Refused statements and checkpoints are not news, and the log stays small.
  log_min_messages: "log",
  log_checkpoints: "off"
}
