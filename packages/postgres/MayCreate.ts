/** Whether the connection's role is allowed to create tables. The role of nodes in production can lack this right. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Table from "./Table.ts"

const right = Table.selection({
  mayCreate: {
    schema: Schema.Boolean,
    expression: "coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)"
  }
})

export const mayCreate = (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError> =>
  Effect.map(right.all(sql`select ${right.columns}`), ([row]) => row!.mayCreate)

const place = Table.selection({
  role: { schema: Schema.String, expression: "quote_ident(current_user)" },
  schema: { schema: Schema.NullOr(Schema.String), expression: "quote_ident(current_schema())" }
})

/** Returns the end of a message about missing tables, with the right that the connection's role lacks. */
export const byOwner = (sql: SqlClient.SqlClient): Effect.Effect<string, SqlError> =>
  Effect.map(place.all(sql`select ${place.columns}`), ([at]) => {
    const { role, schema } = at!
    const grant = schema === null ? "USAGE, CREATE ON SCHEMA public" : `CREATE ON SCHEMA ${schema}`
    return `and the role ${role} lacks the right to create them: run \`npm run database-roles\` with the owner's VENUE_MIGRATION_DATABASE_URL, start this node with the owner's URL, or run: GRANT ${grant} TO ${role}`
  })
