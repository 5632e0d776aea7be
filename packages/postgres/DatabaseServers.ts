/**
 * Servers of the database URL. Among several servers, a search in the URL's order finds the primary. The search repeats
 * when the primary stops or becomes read-only.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted, Result, Schedule } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import type { ConnectionOptions } from "node:tls"
import * as DatabaseMoves from "./DatabaseMoves.ts"
import { reasonOf } from "./DatabaseOutage.ts"
import * as DatabaseUrl from "./DatabaseUrl.ts"
import * as GivenUp from "./GivenUp.ts"

/** Options of a connection that do not depend on the server. */
export type OwnOptions = Omit<PgClient.PgPoolConfig, "url" | "host" | "port" | "ssl" | "stream" | "path">

export class DatabaseServers extends Context.Service<
  DatabaseServers,
  {
    /** Returns the driver's options. The driver reads them again for each connection, so it connects to the current server. */
    readonly options: (own: OwnOptions) => PgClient.PgPoolConfig
  }
>()("@venue/postgres/DatabaseServers") {
  static readonly layer = (url: Redacted.Redacted): Layer.Layer<DatabaseServers, SqlError> =>
    Layer.effect(DatabaseServers, make(url))
}

/** Reads the URL. Searches for the writable server first, if the URL wants one. */
export const make = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const parsed = yield* read(url)
  if (!parsed.isSearched) {
    const [host] = parsed.hosts
    return DatabaseServers.of({
      options: (own) => ({ ...own, ...host, url: parsed.url, ssl: parsed.tls(host) })
    })
  }
  const search = searching(parsed, (yield* DatabaseMoves.DatabaseMoves).moved)
  yield* search.first
  yield* Effect.forkScoped(search.watch)
  return DatabaseServers.of({ options: search.options })
})

interface Servers extends DatabaseUrl.DatabaseUrl {
  readonly url: Redacted.Redacted
  readonly tls: (host: DatabaseUrl.DatabaseHost) => false | ConnectionOptions | undefined
}

const read = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const parsed = Result.mapError(DatabaseUrl.parse(Redacted.value(url)), (expected) =>
    refused(`VENUE_DATABASE_URL: expected ${expected}`)
  )
  const of = yield* Effect.fromResult(parsed)
  const { driverUrl, rootCertificates } = of
  const authorities =
    rootCertificates === undefined
      ? undefined
      : yield* Effect.try({
          try: () => readFileSync(rootCertificates),
          catch: (cause) =>
            refused(`VENUE_DATABASE_URL: the file of sslrootcert cannot be read: ${(cause as Error).message}`)
        })
  return {
    ...of,
    url: Redacted.make(driverUrl),
    tls: (host) => DatabaseUrl.tlsOf(of, authorities, host)
  } satisfies Servers
})

const refused = (message: string) =>
  new SqlError({ reason: new ConnectionError({ cause: new Error(message), message, operation: "connect" }) })

const searching = ({ hosts, tls, url }: Servers, moved: () => void) => {
  let current = hosts[0]
  const sockets = new Map<Socket, DatabaseUrl.DatabaseHost>()

  const open = (host: DatabaseUrl.DatabaseHost): Socket => {
    const socket = host.host.startsWith("/")
      ? connect({ path: `${host.host}/.s.PGSQL.${host.port}` })
      : connect({ ...host, noDelay: true })
    sockets.set(socket, host)
    socket.once("close", () => sockets.delete(socket))
    return socket
  }
  /** Closes connections, so that pools replace them and statements in flight fail with an unknown outcome. */
  const drop = (isDropped: (host: DatabaseUrl.DatabaseHost) => boolean): void => {
    for (const [socket, host] of sockets) if (isDropped(host)) socket.destroy()
  }

  /** Returns whether the server accepts writes. */
  const ask = (connection: PgConnection.PgConnection) =>
    GivenUp.after(giveUpAfter)(Effect.map(connection.queryValues(isReadOnly, [], false), ([row]) => row?.[0] === false))
  const dial = (host: DatabaseUrl.DatabaseHost) =>
    PgConnection.make({ url, ...host, ssl: tls(host), applicationName: "venue/servers", connectTimeout: giveUpAfter })

  const search = Effect.gen(function* () {
    const failures: Array<{ readonly host: DatabaseUrl.DatabaseHost; readonly error: SqlError }> = []
    for (const host of hosts) {
      const found = yield* Effect.result(Effect.scoped(Effect.flatMap(dial(host), ask)))
      if (Result.isFailure(found)) failures.push({ host, error: found.failure })
      else if (found.success) return host
    }
    // If a server is read-only, the remedy is to promote it, so the faults of the others are only listed.
    if (failures.length === hosts.length) return yield* failures.at(-1)!.error
    const others = failures.map(({ error, host }) => `${textOf(host)}: ${reasonOf(error).trim()}; `).join("")
    const which = failures.length === 0 ? "every server" : "every other server"
    return yield* refused(`${others}${which} of VENUE_DATABASE_URL is read-only`)
  })
  const first = Effect.map(search, (host) => {
    current = host
  })
  /** Returns when the current server has become read-only. Fails when it no longer responds. */
  const follow = Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* dial(current)
      while (yield* ask(connection)) yield* Effect.sleep(askEvery)
    })
  )
  const move = Effect.gen(function* () {
    const before = current
    const end = yield* Effect.result(follow)
    if (Result.isSuccess(end)) drop((host) => host === before)
    const found = yield* Effect.retry(search, { schedule: Schedule.spaced(searchEvery) })
    // The name of the same host can lead to another server.
    moved()
    if (found === before) return
    current = found
    drop((host) => host !== found)
    yield* Effect.logWarning(`the database moved from ${textOf(before)} to ${textOf(found)}`)
  })

  const options = (own: OwnOptions): PgClient.PgPoolConfig => ({
    ...own,
    url,
    get host() {
      return current.host
    },
    get port() {
      return current.port
    },
    get ssl() {
      return tls(current)
    },
    get stream() {
      const host = current
      return () => open(host)
    }
  })
  return { first, options, watch: Effect.forever(move) }
}

const textOf = ({ host, port }: DatabaseUrl.DatabaseHost): string => `${host}:${port}`

const isReadOnly = "select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'"
const askEvery = "500 millis"
const searchEvery = "200 millis"
const giveUpAfter = "3 seconds"
