/** Connections to the venue's database. Every program connects through this file, which reads the whole URL. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, type Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { SqlClient } from "effect/sql"
import * as DatabaseServers from "./DatabaseServers.ts"

export interface Options extends DatabaseServers.OwnOptions {
  readonly url: Redacted.Redacted
}

type Services = PgClient.PgClient | SqlClient.SqlClient

/** A pool with servers of its own. Pools of one process share their servers with `pool`. */
export const layer = ({ url, ...own }: Options): Layer.Layer<Services, SqlError> =>
  Layer.provide(pool(own), DatabaseServers.DatabaseServers.layer(url))

export const pool = (
  own: DatabaseServers.OwnOptions
): Layer.Layer<Services, SqlError, DatabaseServers.DatabaseServers> =>
  PgClient.layerFrom(Effect.flatMap(DatabaseServers.DatabaseServers, ({ options }) => PgClient.make(options(own))))

/** A client with one connection, for programs that read briefly. */
export const makeClient = Effect.fnUntraced(function* ({ url, ...own }: Options) {
  const { options } = yield* DatabaseServers.make(url)
  return yield* PgClient.makeClient(options(own))
})
