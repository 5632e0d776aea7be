/** A run's database server, and its faults. */
import * as EmbeddedPostgres from "../../apps/dev/postgres/EmbeddedPostgres.ts"
import * as PostgresHome from "../../apps/dev/postgres/PostgresHome.ts"
import * as Postmaster from "../../apps/dev/postgres/Postmaster.ts"
import * as Guard from "../nodes/Guard.ts"
import * as Signals from "../nodes/Signals.ts"
import * as Session from "../postgres/Session.ts"
import { Effect, Exit, Option, Redacted, Schedule, Scope } from "effect"
import { chmodSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface DatabaseServer {
  /** The server's TCP port, to which proxies connect. */
  readonly port: number
  readonly urlAt: (port: number) => string
  /**
   * Runs a statement in a separate session, which is allowed to write even while the server is read-only for others.
   */
  readonly query: <Row>(text: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Row>>
  /** Freezes all sessions until `thaw`. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Kills the server as a power cut would. The server then restarts automatically. */
  readonly kill: () => void
  /** Kills one session. Postgres then restarts all sessions, because shared memory might be corrupt. */
  readonly crash: () => void
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
}

const quiet = () => Effect.void

export const begin = async (folder: string): Promise<DatabaseServer> => {
  const dataDir = join(folder, "postgres")
  mkdirSync(dataDir, { recursive: true })
  // If the tool runs as root, the server runs as another user, who needs access to these folders.
  for (const path of [folder, dataDir]) chmodSync(path, 0o755)
  let scope = Scope.makeUnsafe()
  const start = () =>
    Effect.runPromise(
      EmbeddedPostgres.start({ dataDir, log: quiet }).pipe(
        Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 50 }),
        Scope.provide(scope)
      )
    )
  const { url: secret } = await start()
  const direct = new URL(Redacted.value(secret))
  direct.search = ""
  const pid = async (): Promise<number | undefined> => {
    const found = await Effect.runPromise(Effect.flatMap(PostgresHome.open(dataDir, quiet), Postmaster.find))
    return Option.getOrUndefined(found)?.pid
  }
  let server = (await pid())!
  const abandon = () => Signals.signal(server, "SIGQUIT")
  process.once("exit", abandon)
  let unguard = Guard.over(server, "SIGQUIT")
  const renew = async () => {
    unguard()
    server = (await pid()) ?? server
    unguard = Guard.over(server, "SIGQUIT")
  }
  const query = async <Row>(text: string, values: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<Row>> => {
    const options = {
      connectionString: direct.href,
      application_name: "chaos",
      options: "-c default_transaction_read_only=off",
      connectionTimeoutMillis: 5_000,
      query_timeout: 60_000
    }
    return Session.run<Row>(options, text, values)
  }
  const all = () => [server, ...childrenOf(server)]
  return {
    port: Number(direct.port),
    urlAt: (port) => {
      const url = new URL(direct)
      url.port = String(port)
      return url.href
    },
    query,
    freeze: () => all().forEach((one) => Signals.signal(one, "SIGSTOP")),
    thaw: () => all().forEach((one) => Signals.signal(one, "SIGCONT")),
    kill: () => {
      for (const one of all()) Signals.signal(one, "SIGKILL")
      setTimeout(() => void renew(), renewMillis)
    },
    crash: () => {
      const session = childrenOf(server).find((one) => commandLine(one).includes("venue venue"))
      if (session !== undefined) Signals.signal(session, "SIGKILL")
    },
    stop: async () => {
      await renew()
      process.removeListener("exit", abandon)
      await Effect.runPromise(Scope.close(scope, Exit.void))
      unguard()
    },
    start: async () => {
      scope = Scope.makeUnsafe()
      await start()
      process.once("exit", abandon)
      await renew()
    }
  }
}

/** The server restarts within one second after it exits. */
const renewMillis = 3_000

/** A server that has exited has no children. */
const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    return Signals.childrenOf(pid)
  } catch {
    return []
  }
}

const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}
