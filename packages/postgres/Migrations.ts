/** Creates and upgrades the tables when the layer is built; nodes that start at the same time take turns. */
import { Effect, Layer, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "./AdvisoryLocks.ts"
import * as ConcurrentIndexes from "./ConcurrentIndexes.ts"
import { report, reported } from "./MigrationProgress.ts"
import { baseline } from "./migrations/0001_baseline.ts"
import { operators } from "./migrations/0005_operators.ts"
import { auditorCheckpoint } from "./migrations/0006_auditor_checkpoint.ts"
import { journalArchive } from "./migrations/0007_journal_archive.ts"
import { recovery } from "./migrations/0008_recovery.ts"
import { alarms } from "./migrations/0009_alarms.ts"
import { runningSettings } from "./migrations/0010_running_settings.ts"
import { tokenGiven } from "./migrations/0011_token_given.ts"
import * as MayCreate from "./MayCreate.ts"
import * as Table from "./Table.ts"

/**
 * Every migration since 0.1.0, in order. A released migration never changes:
 * `test/upgrade/ReleasedMigrations.test.ts` pins its SQL, and `test/upgrade/0.1.0.sql` holds rows of 0.1.0 that every
 * later release must read. A change adds `migrations/<number>_name.ts` and a line in this list. Nodes of the
 * previous release keep running during a migration, so a migration only makes additions that those nodes can ignore,
 * and holds no lock on a large table. Indexes on large tables go into `largeIndexes`.
 */
const all = {
  "0001_baseline": baseline,
  "0005_operators": operators,
  "0006_auditor_checkpoint": auditorCheckpoint,
  "0007_journal_archive": journalArchive,
  "0008_recovery": recovery,
  "0009_alarms": alarms,
  "0010_running_settings": runningSettings,
  "0011_token_given": tokenGiven
}

/**
 * Indexes on tables that can become very large, by name. `create index concurrently` builds them while a venue is
 * running.
 */
const largeIndexes: ConcurrentIndexes.Indexes = {
  audit_of_actor: "audit (actor, number)",
  audit_of_action: "audit (action, number)",
  venue_user_of_name: "venue_user (name)",
  user_state_frozen: "user_state (user_id) where frozen"
}

const numbers = new Map(
  Object.keys(all).map((key) => {
    const [number, ...name] = key.split("_")
    return [Number(number), name.join("_")] as const
  })
)
const newest = Math.max(...numbers.keys())
/** Name of the newest migration of this release. */
export const newestName = Object.keys(all).at(-1)!
const allReported = Object.fromEntries(
  Object.entries(all).map(([name, migration]) => [name, reported(`migration ${name}`, migration)])
)

const turn = Table.selection({
  isTaken: {
    schema: Schema.Boolean,
    expression: `pg_try_advisory_xact_lock(${advisoryLocks.migration})`
  }
})

const applied = Table.selection({
  number: { schema: Schema.Number, expression: "migration_id" },
  name: { schema: Schema.String, expression: "name" }
})

/** Returns the migrations of the database; fails for a database of another release. */
const appliedRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql`select from pg_class where oid = to_regclass('migration')`
  if (table === undefined) return []
  const rows = yield* applied.all(sql`select ${applied.columns} from migration order by migration_id`)
  const message = refusal(rows)
  return message === undefined ? rows : yield* new MigrationError({ kind: "BadState", message })
})

const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [mine] = yield* turn.all(sql`select ${turn.columns}`)
  if (!mine!.isTaken) {
    yield* report({ _tag: "Waiting", what: "another process that prepares them" })
    yield* sql`select pg_advisory_xact_lock(${advisoryLocks.migration})`
  }
  yield* report({ _tag: "Waiting", what: `a lock on the table migration, up to migration ${newestName}` })
  yield* appliedRows
  yield* Migrator.make({})({ loader: Migrator.fromRecord(allReported), table: "migration" })
})

/** Returns why this release must not use a database with these migrations, or undefined if it can. */
const refusal = (rows: ReadonlyArray<Table.Row<typeof applied>>): string | undefined => {
  const other = rows.find(({ name, number }) => number <= newest && numbers.get(number) !== name)
  if (other !== undefined) {
    return `migration ${other.number} of the database is "${other.name}" and not "${numbers.get(other.number)}": a database created before release 0.1.0 cannot be upgraded; start with an empty database and an empty data directory`
  }
  const latest = rows.at(-1)?.number ?? 0
  return latest > newest
    ? `the database is at migration ${latest} and this release has migrations up to ${newest}: start the release that upgraded the database, or a newer one`
    : undefined
}

const missingIndexes = Table.selection({ name: { schema: Schema.String, expression: "wanted.name" } })

/** Names of migrations and indexes of this release that the database lacks; fails for a database of another release. */
const missing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* appliedRows
  if (rows.length === 0) return Object.keys(all)
  const known = new Set(rows.map(({ number }) => number))
  const indexes = yield* missingIndexes.all(sql`
    select ${missingIndexes.columns} from unnest(${Object.keys(largeIndexes)}::text[]) wanted (name)
    where not exists (select from pg_index where indexrelid = to_regclass(wanted.name) and indisvalid)`)
  return [
    ...Object.keys(all).filter((key) => !known.has(Number.parseInt(key, 10))),
    ...indexes.map(({ name }) => `index ${name}`)
  ]
})

/** Only checks the database for a role without the right to create tables, which the owner must have prepared. */
const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (yield* MayCreate.mayCreate(sql)) {
    yield* sql.withTransaction(migrate)
    return yield* ConcurrentIndexes.build(largeIndexes)
  }
  const names = yield* missing
  if (names.length === 0) return
  const message = `the database lacks tables or indexes of this release (${names.join(", ")}), ${yield* MayCreate.byOwner(sql)}`
  return yield* new MigrationError({ kind: "BadState", message })
})

/**
 * Runs the migrations and provides no service. Every layer that needs tables provides this layer to itself; because
 * it is one shared value, it runs once.
 */
export const layer: Layer.Layer<never, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effectDiscard(prepare)
