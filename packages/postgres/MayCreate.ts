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

/** Ends a message about tables that only their owner can create. */
export const byOwner =
  "and this role is not allowed to create them: run `npm run database-roles` with the owner's VENUE_MIGRATION_DATABASE_URL, or start this node with the owner's URL"
