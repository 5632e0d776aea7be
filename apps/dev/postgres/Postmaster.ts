/** Server process of one Postgres data directory: initialises, starts, detects and stops it. */
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
  /** Directory of the Unix socket, or undefined for a server with a port only. */
  readonly socketFolder: string | undefined
  readonly ready: boolean
}

export const superuser = "venue"

/**
 * Creates the database under a temporary name and renames it once complete, so that an interrupted start leaves no
 * partial database.
 */
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

/**
 * Returns this data directory's running server. Returns an empty option for a stale pid file, or for a pid that
 * belongs to another program.
 */
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
 * Removes pid and lock files that would make Postgres refuse to start. After a power cut, the pid might belong to
 * another program of this user, or the dead server might be a zombie. If the pid has no process, its file is left to
 * Postgres, which also detects orphans of the dead server.
 */
const removeStalePids = Effect.fnUntraced(function* (home: PostgresHome) {
  for (const file of [pidFile(home), join(home.directory, `${socketName(home.port)}.lock`)]) {
    const pid = Number((yield* linesOf(file))[0])
    const args = yield* Effect.option(commandLine(pid))
    if (Option.isNone(args)) continue
    const isServer = args.value === "" || args.value.includes(home.data)
    if (isServer && !(yield* isUnreaped(pid))) continue
    yield* attempt("remove the pid file of a stopped server", () => rm(file))
  }
})

/**
 * Returns once the server accepts connections. Retries while a server that was just killed, or one of its workers, is
 * still exiting.
 */
export const launch = Effect.fn("Postmaster.launch")((home: PostgresHome, settings: Readonly<Record<string, string>>) =>
  Effect.retry(launchOnce(home, settings), {
    while: ({ reason }) => /lock file "postmaster\.pid" already exists|is still in use/.test(reason),
    schedule: Schedule.spaced("200 millis"),
    times: 50
  })
)

/**
 * Starts the server in its own process group, so that Ctrl-C reaches only this process, which stops the server after
 * the last write.
 */
const launchOnce = Effect.fnUntraced(function* (home: PostgresHome, settings: Readonly<Record<string, string>>) {
  const step = "start the database"
  yield* removeStalePids(home)
  const hasSocket = yield* canHoldSocket(home)
  const logFile = join(home.directory, "server.log")
  const flags = Object.entries({
    ...always,
    // The server's own directory, which only the server's user and root can enter.
    unix_socket_directories: hasSocket ? `"${home.directory.replaceAll('"', '""')}"` : "",
    ...settings,
    port: String(home.port)
  })
  // A new file, because the remaining sessions of a killed server still write to the old one.
  const log = yield* attempt(step, () => rm(logFile, { force: true }).then(() => open(logFile, "wx", 0o600)))
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
          (text) => Effect.fail(new EmbeddedPostgresError({ step, reason: `${faultIn(text)}; see ${logFile}` }))
        )
      )
    )
  })
  const ready = find(home).pipe(
    Effect.repeat({
      until: (server) => Option.isSome(server) && server.value.pid === child.pid && server.value.ready,
      schedule: Schedule.spaced("20 millis")
    }),
    Effect.map(Option.getOrThrow)
  )
  return yield* Effect.raceFirst(ready, ended).pipe(Effect.ensuring(Effect.promise(() => log.close())))
})

/** Returns the log's last fatal message, without its time and process id. */
const faultIn = (log: string): string =>
  log
    .split("\n")
    .flatMap((line) => /(?:FATAL|PANIC): +(.+)/.exec(line)?.[1] ?? [])
    .at(-1) ?? "it exited without a fatal error in its log"

/**
 * Returns whether the directory can hold a socket. If its path is too long, or its file system does not support
 * sockets, the server has only its port.
 */
const canHoldSocket = ({ directory, port }: PostgresHome) => {
  if (Buffer.byteLength(join(directory, socketName(port))) > maxSocketBytes) return Effect.succeed(false)
  return Effect.callback<boolean>((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(join(directory, `.try.${process.pid}`), () => server.close(() => resume(Effect.succeed(true))))
  })
}

/** Maximum length of a socket path in bytes, on the strictest system. */
const maxSocketBytes = 103

const socketName = (port: number) => `.s.PGSQL.${port}`

/**
 * Stops the server. A fast shutdown rolls back open transactions and writes all data. After 20 s the server is
 * aborted, and the next start recovers the data.
 */
export const end = Effect.fn("Postmaster.end")(function* (home: PostgresHome, pid: number) {
  for (const [signal, seconds] of [
    ["SIGINT", 20],
    ["SIGQUIT", 5]
  ] as const) {
    if (!(yield* serves(pid, home))) return
    yield* Effect.ignore(attempt("stop the database", () => process.kill(pid, signal)))
    const gone = serves(pid, home).pipe(
      Effect.repeat({ until: (serving) => !serving, schedule: Schedule.spaced("20 millis") }),
      Effect.timeoutOption(`${seconds} seconds`)
    )
    if (Option.isSome(yield* gone)) return
  }
  return yield* new EmbeddedPostgresError({ step: "stop the database", reason: `process ${pid} does not stop` })
})

/**
 * Returns whether a process is a server of exactly this data directory, because the pid might belong to another
 * program.
 */
const serves = (pid: number, home: PostgresHome) =>
  commandLine(pid).pipe(
    Effect.map((args) => args.includes(`-D ${home.data} `)),
    Effect.orElseSucceed(() => false)
  )

/**
 * Returns whether a process is a zombie. Always false without `/proc`, where a zombie is detected by its empty
 * command line.
 */
const isUnreaped = (pid: number) =>
  attempt("look", () => readFile(`/proc/${pid}/stat`, "utf8")).pipe(
    // The name in brackets might itself contain brackets.
    Effect.map((text) => /^[ZX]/.test(text.slice(text.lastIndexOf(")") + 2))),
    Effect.orElseSucceed(() => false)
  )

/** Set at every start, so that no edited file can weaken the durability of an acknowledgement. */
const always = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  listen_addresses: "127.0.0.1",
  unix_socket_permissions: "0700",
  max_connections: "200",
  // Refused statements and checkpoints are not logged, which keeps the log small.
  log_min_messages: "log",
  log_checkpoints: "off"
}
