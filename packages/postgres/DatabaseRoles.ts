/** Database roles other than the owner, and the statements that give them exactly the rights that they need. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Table from "./Table.ts"

/** Names of the roles: of nodes, of the auditor, and of people who only read. */
export interface Roles {
  readonly app: string
  readonly auditor: string
  readonly reader: string
}

export interface TableRights {
  readonly name: string
  /** Whether a trigger refuses changes and removals of rows. */
  readonly isAppendOnly: boolean
  readonly columns: ReadonlyArray<string>
}

const catalog = Table.selection({
  name: { schema: Schema.String, expression: "relname" },
  isAppendOnly: {
    schema: Schema.Boolean,
    expression:
      "exists (select from pg_trigger join pg_proc on pg_proc.oid = tgfoid where tgrelid = pg_class.oid and proname = 'refuse_change')"
  },
  columns: {
    schema: Schema.Array(Schema.String),
    expression:
      "array(select attname::text from pg_attribute where attrelid = pg_class.oid and attnum > 0 and not attisdropped order by attnum)"
  }
})

/** Tables of the current schema, ordered by name. */
export const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* catalog.all(sql`
    select ${catalog.columns} from pg_class
    where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace order by relname`)
})

/** Tables of the auditor's own results and checkpoints, and of the halt and its audit entry. */
const ofAuditor: Readonly<Record<string, string>> = {
  audit: "insert",
  audit_checkpoint: "insert, update, delete",
  audit_checkpoint_piece: "insert, update, delete",
  audit_mark: "insert",
  rail_audit: "insert, update",
  venue_mode: "update"
}

/** Tables in which only the owner writes. */
const ofOwner = /^(migration|cluster_runner_migrations)$/

/**
 * Returns the statements in order. They first take all rights away, so that a repetition after an upgrade also removes
 * rights that a former release needed. Run them in one transaction, as the owner of the tables.
 */
export const statementsOf = (
  { app, auditor, reader }: Roles,
  schema: string,
  all: ReadonlyArray<TableRights>
): ReadonlyArray<string> => {
  const [nodes, audits, reads] = [app, auditor, reader].map(quoted) as [string, string, string]
  const everyone = `${nodes}, ${audits}, ${reads}`
  const place = quoted(schema)
  const at = (name: string) => `${place}.${quoted(name)}`
  return [
    `revoke create on schema ${place} from public`,
    `revoke all on all tables in schema ${place} from ${everyone}`,
    `grant usage on schema ${place} to ${everyone}`,
    `grant usage, select, update on all sequences in schema ${place} to ${nodes}`,
    ...all.flatMap(({ columns, isAppendOnly, name }) => [
      `grant ${rightsOfNodes(name, isAppendOnly)} on ${at(name)} to ${nodes}`,
      `grant ${readOf(columns)} on ${at(name)} to ${audits}, ${reads}`
    ]),
    ...all
      .filter(({ name }) => name in ofAuditor)
      .map(({ name }) => `grant ${ofAuditor[name]} on ${at(name)} to ${audits}`)
  ]
}

const rightsOfNodes = (name: string, isAppendOnly: boolean): string =>
  ofOwner.test(name) ? "select" : isAppendOnly ? "select, insert" : "select, insert, update, delete"

/** Sealed secrets, and hashes that identify a token, a code or a client's secret. */
const isSecret = (column: string): boolean =>
  /^sealed_|^salt$|^url$|(token|secret|code|authorization_id)_hash$/.test(column)

/** Returns the right to read the table, or its columns without secrets. */
const readOf = (columns: ReadonlyArray<string>): string => {
  const others = columns.filter((column) => !isSecret(column))
  return others.length === columns.length ? "select" : `select (${others.map(quoted).join(", ")})`
}

/** Returns the statements that create missing roles. They can sign in once they have a password. */
export const creationOf = (roles: Roles, existing: ReadonlySet<string>): ReadonlyArray<string> =>
  Object.values(roles)
    .filter((role) => !existing.has(role))
    .map((role) => `create role ${quoted(role)} login`)

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
