/** A database of its own for a suite that needs SQL. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Reactivity from "effect/reactivity/Reactivity"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"

/** A fresh, empty database, dropped when the scope closes; its url suits a process started by the test too. */
export const freshDatabase = Effect.gen(function* () {
  const server = inject("postgresUrl")
  const name = `test_${randomUUID().replaceAll("-", "")}`
  const admin = yield* PgClient.makeClient({ url: Redacted.make(server) })
  yield* Effect.acquireRelease(admin`create database ${admin(name)}`, () =>
    Effect.orDie(admin`drop database if exists ${admin(name)} with (force)`)
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  return Redacted.make(url.href)
}).pipe(Effect.provide(Reactivity.layer))

/** `SqlClient` and `PgClient` of a fresh database. */
export const postgresLayer = PgClient.layerFrom(
  Effect.flatMap(freshDatabase, (url) => PgClient.make({ url, maxConnections: 10 }))
)

/** Every row of every table, as text. */
export const dump = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`
  const rows = yield* Effect.forEach(
    tables,
    ({ name }) => sql<{ readonly row: string }>`select t::text as row from ${sql(name)} t`
  )
  return rows
    .flat()
    .map(({ row }) => row)
    .join("\n")
})
