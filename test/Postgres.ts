/** Databases for suites that need SQL. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Reactivity from "effect/reactivity/Reactivity"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"

/** Creates a copy of the template, drops it when the scope closes, and returns its URL. */
const copyOf = (template: "template0" | "tables") =>
  Effect.gen(function* () {
    const server = inject("postgresUrl")
    const name = `test_${randomUUID().replaceAll("-", "")}`
    const source = template === "tables" ? inject("postgresTemplate") : template
    const admin = yield* PgClient.makeClient({ url: Redacted.make(server) })
    yield* Effect.acquireRelease(admin`create database ${admin(name)} template ${admin(source)}`, () =>
      Effect.orDie(admin`drop database if exists ${admin(name)} with (force)`)
    )
    const url = new URL(server)
    url.pathname = `/${name}`
    return Redacted.make(url.href)
  }).pipe(Effect.provide(Reactivity.layer))

/** A database with all tables and no rows. Processes that the test starts can use it too. */
export const freshDatabase = copyOf("tables")

/** A database without tables. */
export const emptyDatabase = copyOf("template0")

const layerOf = (database: typeof freshDatabase) =>
  PgClient.layerFrom(Effect.flatMap(database, (url) => PgClient.make({ url, maxConnections: 10 })))

export const postgresLayer = layerOf(freshDatabase)

export const emptyPostgresLayer = layerOf(emptyDatabase)

/** Reads every row of every table as text. */
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
