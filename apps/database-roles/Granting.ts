/** `npm run database-roles`: migrates as the owner, then grants rights to the other roles. Run it after each upgrade. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import * as ClusterNode from "@venue/cluster/ClusterNode"
import * as DatabaseRoles from "@venue/postgres/DatabaseRoles"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Config, Console, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { parseArgs } from "node:util"
import * as Arguments from "../process/Arguments.ts"
import { migrationDatabaseUrl, roles } from "../process/DatabaseSettings.ts"
import * as ToolSettings from "../process/ToolSettings.ts"

const usage = "npm run database-roles [-- --print]"

/** With `--print`, only prints the statements, for a database whose roles another tool manages. */
export const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const isPrinted = yield* Arguments.read(
    usage,
    () => parseArgs({ args: [...args], options: { print: { type: "boolean" } } }).values.print === true
  )
  const settings = yield* ToolSettings.read(Config.all({ url: migrationDatabaseUrl, roles: Config.all(roles) }))
  const database = DatabaseClient.layer({ url: settings.url, applicationName: "database-roles", maxConnections: 2 })
  const tables = Migrations.layer.pipe(Layer.provideMerge(database))
  yield* grant(settings.roles, isPrinted).pipe(Effect.provide(tables))
})

const names = Table.selection({ name: { schema: Schema.String, expression: "rolname" } })
const place = Table.selection({ schema: { schema: Schema.String, expression: "current_schema()" } })

export const grant = Effect.fn("Granting.grant")(function* (roles: DatabaseRoles.Roles, isPrinted: boolean) {
  const sql = yield* SqlClient.SqlClient
  yield* ClusterNode.createTables
  const existing = yield* names.all(
    sql`select ${names.columns} from pg_roles where rolname = any(${Object.values(roles)})`
  )
  const created = DatabaseRoles.creationOf(roles, new Set(existing.map(({ name }) => name)))
  const [{ schema }] = (yield* place.all(sql`select ${place.columns}`)) as [{ schema: string }]
  const statements = [...created, ...DatabaseRoles.statementsOf(roles, schema, yield* DatabaseRoles.tables)]
  if (isPrinted) return yield* Console.log(`begin;\n${statements.map((text) => `${text};`).join("\n")}\ncommit;`)
  yield* sql.withTransaction(Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true }))
  const { app, auditor, reader } = roles
  yield* Console.log(`granted: ${app} (runners, gateways), ${auditor} (auditor), ${reader} (explain, people)`)
  for (const text of created) yield* Console.log(`${text}: set its password with \\password in psql`)
})
