/**
 * Builds indexes on large tables with `create index concurrently`, outside the migrations' transaction and while a
 * venue is running. Release 0.1.0 needs no such index; a later release lists its own indexes in `Migrations.ts`.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "./AdvisoryLocks.ts"
import { reported } from "./MigrationProgress.ts"

/** Index definitions by name. A definition is the SQL text after `create index … on`. */
export type Indexes = Readonly<Record<string, string>>

/** Builds the missing indexes. Nodes that start together take turns; rows can be appended meanwhile. */
export const build = (indexes: Indexes): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  Object.keys(indexes).length === 0 ? Effect.void : Effect.scoped(buildMissing(indexes))

const buildMissing = Effect.fnUntraced(function* (indexes: Indexes) {
  const connection = yield* (yield* SqlClient.SqlClient).reserve
  for (const [name, definition] of Object.entries(indexes)) {
    const isBuilt = Effect.map(connection.executeValues(isValid, [name]), (rows) => rows.length > 0)
    const buildOne = Effect.gen(function* () {
      if (yield* isBuilt) return
      // An interrupted build leaves an invalid index, which queries ignore; it is dropped before the next build.
      yield* connection.executeValues(`drop index concurrently if exists ${name}`, [])
      yield* connection.executeValues(`create index concurrently ${name} on ${definition}`, [])
    })
    // An index build waits until all earlier statements end. Nodes therefore poll for this lock instead of waiting in
    // one long statement, which would block the build.
    const attempt = Effect.gen(function* () {
      if (yield* isBuilt) return true
      const [row] = yield* connection.executeValues(lock, [])
      if (row?.[0] !== true) return false
      yield* Effect.ensuring(reported(`index ${name}`, buildOne), Effect.ignore(connection.executeValues(unlock, [])))
      return true
    })
    while (!(yield* attempt)) yield* connection.executeValues(pause, [])
  }
})

const isValid = "select 1 from pg_index where indexrelid = to_regclass($1) and indisvalid"
const lock = `select pg_try_advisory_lock(${advisoryLocks.concurrentIndexes})`
const unlock = `select pg_advisory_unlock(${advisoryLocks.concurrentIndexes})`
/** Waits in the database, because nodes also start in tests whose own clock does not advance. */
const pause = "select pg_sleep(0.2)"
