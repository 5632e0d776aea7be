/** Postgres servers of one test: with TLS, or as a primary with a streaming standby. */
import { Effect, Option, Redacted } from "effect"
import { appendFileSync, chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PostgresHome from "../../apps/dev/postgres/PostgresHome.ts"
import * as Postmaster from "../../apps/dev/postgres/Postmaster.ts"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as BaseBackup from "./BaseBackup.ts"
import * as Reactivity from "effect/reactivity/Reactivity"

export interface OwnServer {
  readonly home: PostgresHome.PostgresHome
  readonly pid: number
  readonly port: number
}

const quiet = () => Effect.void
export const passwordOf = ({ home }: Pick<OwnServer, "home">): string => Redacted.value(home.password)

const open = Effect.acquireRelease(
  Effect.gen(function* () {
    const dataDir = mkdtempSync(join(tmpdir(), `venue-test-server-${process.pid}-`))
    chmodSync(dataDir, 0o755)
    const home = yield* PostgresHome.open(dataDir, quiet)
    return { dataDir, home }
  }),
  ({ dataDir, home }) =>
    Effect.sync(() => {
      rmSync(home.directory, { recursive: true, force: true })
      rmSync(dataDir, { recursive: true, force: true })
    })
)

const launch = (home: PostgresHome.PostgresHome, settings: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.map(Postmaster.launch(home, { ...settings, fsync: "off" }), ({ pid, port }): OwnServer => ({
      home,
      pid,
      port
    })),
    () =>
      Effect.ignore(
        Effect.flatMap(Postmaster.find(home), (server) =>
          Option.isSome(server) ? Postmaster.end(home, server.value.pid) : Effect.void
        )
      )
  )

/** Starts an empty server. */
export const start = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>> = {}) {
  const { home } = yield* open
  yield* Postmaster.initialise(home, false)
  return yield* launch(home, settings)
})

/** Starts an empty server that offers TLS with the certificate of `localhost`, and requires it. */
export const startTls = Effect.gen(function* () {
  const { home } = yield* open
  yield* Postmaster.initialise(home, false)
  for (const name of ["server.pem", "server.key"]) {
    const path = join(home.data, name)
    copyFileSync(join(import.meta.dirname, "certificates", name), path)
    chmodSync(path, 0o600)
    if (home.owner !== undefined) chownSync(path, home.owner.uid, home.owner.gid)
  }
  writeFileSync(join(home.data, "pg_hba.conf"), "hostssl all all 127.0.0.1/32 scram-sha-256\n")
  return yield* launch(home, { ssl: "on", ssl_cert_file: "server.pem", ssl_key_file: "server.key" })
})

/** Starts a standby of the server, from a base backup, under the name `standby`. */
export const standbyOf = Effect.fnUntraced(function* (primary: OwnServer) {
  const { home } = yield* open
  yield* BaseBackup.take(urlOf([primary]), primary.home.data, home.data, home.owner)
  const from = `host=127.0.0.1 port=${primary.port} user=venue password=${passwordOf(primary)} application_name=standby`
  appendFileSync(join(home.data, "postgresql.auto.conf"), `primary_conninfo = '${from}'\n`)
  yield* Effect.promise(() => BaseBackup.write(join(home.data, "standby.signal"), "", home.owner))
  return yield* launch({ ...home, password: primary.home.password }, {})
})

/** Returns a URL with these servers, in this order. */
export const urlOf = (
  servers: ReadonlyArray<OwnServer>,
  { database = "postgres", host = "127.0.0.1", query = "" } = {}
): Redacted.Redacted => {
  const hosts = servers.map(({ port }) => `${host}:${port}`).join(",")
  return Redacted.make(`postgres://venue:${passwordOf(servers[0]!)}@${hosts}/${database}${query}`)
}

/** Runs one statement on the server, on a connection of its own. */
export const on = (server: OwnServer, statement: string) =>
  Effect.scoped(
    Effect.flatMap(PgClient.makeClient({ url: urlOf([server]) }), (sql) => sql.unsafe(statement).values)
  ).pipe(Effect.provide(Reactivity.layer))
