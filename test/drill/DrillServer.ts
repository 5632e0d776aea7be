/** Postgres servers of the drill: with an archive of their log, copied while they run, killed, promoted and restored. */
import { Effect, Exit, Redacted, Scope } from "effect"
import { appendFileSync, chmodSync, chownSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as PostgresHome from "../../apps/dev/postgres/PostgresHome.ts"
import * as Postmaster from "../../apps/dev/postgres/Postmaster.ts"
import * as Guard from "../nodes/Guard.ts"
import * as Ports from "../nodes/Ports.ts"
import * as Signals from "../nodes/Signals.ts"
import { until } from "../nodes/Until.ts"
import * as BaseBackup from "../postgres/BaseBackup.ts"
import * as Session from "../postgres/Session.ts"

export interface DrillServer {
  readonly name: string
  readonly home: PostgresHome.PostgresHome
  /** Runs a statement on the database `venue`, in a session of its own. */
  readonly query: <Row>(text: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Row>>
  readonly start: () => Promise<void>
  /** Kills the server and all its sessions, as a power cut does. */
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<void>
  /** Removes the files of the stopped server that are outside the drill's folder. */
  readonly remove: () => void
}

const quiet = () => Effect.void
type Settings = Readonly<Record<string, string>>

/** Returns a stopped server without files. All servers of a drill have the password of `like`. */
export const make = async (
  folder: string,
  name: string,
  like: DrillServer | undefined,
  settings: Settings = {}
): Promise<DrillServer> => {
  const dataDir = join(folder, name)
  mkdirSync(dataDir, { recursive: true })
  // If the drill runs as root, the server runs as another user, who needs access to these folders.
  for (const path of [folder, dataDir]) chmodSync(path, 0o755)
  const opened = await Effect.runPromise(PostgresHome.open(dataDir, quiet))
  const home = { ...opened, port: await Ports.one(), password: like?.home.password ?? opened.password }
  const url = urlOf([{ home }])
  let pid = 0
  let scope = Scope.makeUnsafe()
  let unguard = () => {}
  const abandon = () => {
    if (pid > 0) Signals.signal(pid, "SIGQUIT")
  }
  const forget = () => {
    process.removeListener("exit", abandon)
    unguard()
    pid = 0
  }
  const query = <Row>(text: string, values: ReadonlyArray<unknown> = []) =>
    Session.run<Row>({ connectionString: url, application_name: "drill" }, text, values)
  return {
    name,
    home,
    query,
    start: async () => {
      scope = Scope.makeUnsafe()
      const started = await Effect.runPromise(Scope.provide(Postmaster.launch(home, settings), scope))
      pid = started.pid
      process.once("exit", abandon)
      unguard = Guard.over(pid, "SIGQUIT")
    },
    kill: async () => {
      const all = [pid, ...Signals.childrenOf(pid)]
      for (const each of all) Signals.signal(each, "SIGKILL")
      await until("the killed server is gone", () => all.every((process) => !isRunning(process)))
      forget()
    },
    stop: async () => {
      if (pid === 0) return
      await Effect.runPromise(Scope.close(scope, Exit.void))
      forget()
    },
    remove: () => rmSync(home.directory, { recursive: true, force: true })
  }
}

/** Creates an empty server with the database `venue`, and starts it. */
export const found = async (server: DrillServer): Promise<void> => {
  await Effect.runPromise(Postmaster.initialise(server.home, true))
  appendFileSync(join(server.home.data, "postgresql.auto.conf"), "wal_level = replica\nmax_wal_size = '256MB'\n")
  await server.start()
  const connectionString = urlOf([server]).replace(/venue$/, "postgres")
  await Session.run({ connectionString }, "create database venue")
}

/** Copies the running server to a folder of its user, which it creates. */
export const backUp = (server: DrillServer, to: string): Promise<BaseBackup.BaseBackup> =>
  Effect.runPromise(BaseBackup.take(Redacted.make(urlOf([server])), server.home.data, to, server.home.owner))

/** Starts the server from a base backup and an archive. It accepts writes after the target is reached. */
export const restore = async (
  server: DrillServer,
  { backup, target }: { readonly backup: string; readonly target: string }
): Promise<void> => {
  await BaseBackup.copy(backup, server.home.data, server.home.owner)
  // A copy leaves the label out, because a running server could not have one.
  await BaseBackup.write(join(server.home.data, "backup_label"), labelOf(backup), server.home.owner)
  await configure(server, [...target.split("\n"), "recovery_target_action = 'promote'", "archive_mode = off"])
  await BaseBackup.write(join(server.home.data, "recovery.signal"), "", server.home.owner)
  await server.start()
  await until("the restored server accepts writes", () => isWritable(server))
}

/** Starts the server as a synchronous standby of the primary, from a new base backup. */
export const follow = async (standby: DrillServer, primary: DrillServer): Promise<void> => {
  rmSync(standby.home.data, { recursive: true, force: true })
  await backUp(primary, standby.home.data)
  const { password, port } = primary.home
  const source = `host=127.0.0.1 port=${port} user=${Postmaster.superuser} password=${Redacted.value(password)}`
  await configure(standby, [
    `primary_conninfo = '${source} application_name=${standby.name}'`,
    // A promoted standby has no standby of its own yet, so its commits must not wait for one.
    "synchronous_standby_names = ''"
  ])
  await BaseBackup.write(join(standby.home.data, "standby.signal"), "", standby.home.owner)
  await standby.start()
  await primary.query(`alter system set synchronous_standby_names = '${standby.name}'`)
  await primary.query("select pg_reload_conf()")
  await until("the standby is synchronous", async () => {
    const rows = await primary.query<{ sync_state: string }>("select sync_state from pg_stat_replication")
    return rows.some(({ sync_state }) => sync_state === "sync")
  })
}

export const promote = (standby: DrillServer) => standby.query("select pg_promote(wait => false)")

export const isWritable = async (server: DrillServer): Promise<boolean> => {
  const [row] = await server.query<{ standby: boolean }>("select pg_is_in_recovery() as standby")
  return !row!.standby
}

/** Creates a folder that the server's user can write to. */
export const folderOf = (server: Pick<DrillServer, "home">, name: string): string => {
  const path = join(server.home.directory, name)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (server.home.owner !== undefined) chownSync(path, server.home.owner.uid, server.home.owner.gid)
  return path
}

/** Returns the URL of the database `venue` with these servers, in this order. */
export const urlOf = (servers: ReadonlyArray<Pick<DrillServer, "home">>): string => {
  const hosts = servers.map(({ home }) => `127.0.0.1:${home.port}`).join(",")
  return `postgres://${Postmaster.superuser}:${Redacted.value(servers[0]!.home.password)}@${hosts}/venue`
}

/** Appends settings. The last of several lines with the same name is valid. */
const configure = async (server: DrillServer, lines: ReadonlyArray<string>): Promise<void> => {
  const file = join(server.home.data, "postgresql.auto.conf")
  await BaseBackup.write(file, `${readFileSync(file, "utf8")}${lines.join("\n")}\n`, server.home.owner)
}

const labelOf = (backup: string): string => readFileSync(join(backup, "backup_label"), "utf8")

/** A zombie counts as ended: its files and ports are free. */
const isRunning = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== ""
  } catch {
    return false
  }
}
