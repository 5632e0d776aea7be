/**
 * Builds indexes of large tables with `create index concurrently`: outside the transaction of the migrations, beside a venue
 * that is running. Release 0.1.0 needs no such index; a later release lists its own in `Migrations.ts`.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "./AdvisoryLocks.ts"

/** Index definitions by name: what follows `create index … on`. */
export type Indexes = Readonly<Record<string, string>>

/** Builds the indexes that are missing. Nodes that start together take turns; appends to the tables continue meanwhile. */
export const build = (indexes: Indexes): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  Object.keys(indexes).length === 0 ? Effect.void : Effect.scoped(buildMissing(indexes))

const buildMissing = Effect.fnUntraced(function* (indexes: Indexes) {
  const connection = yield* (yield* SqlClient.SqlClient).reserve
  for (const [name, definition] of Object.entries(indexes)) {
    const isBuilt = Effect.map(connection.executeValues(isValid, [name]), (rows) => rows.length > 0)
    const buildOne = Effect.gen(function* () {
      if (yield* isBuilt) return
      // An interrupted build leaves an invalid index, which queries ignore.
      yield* connection.executeValues(`drop index concurrently if exists ${name}`, [])
      yield* connection.executeValues(`create index concurrently ${name} on ${definition}`, [])
    })
    // The build waits for all statements that began before it, so no node may wait for the lock inside a long statement.
    const attempt = Effect.gen(function* () {
      if (yield* isBuilt) return true
      const [row] = yield* connection.executeValues(lock, [])
      if (row?.[0] !== true) return false
      yield* Effect.ensuring(buildOne, Effect.ignore(connection.executeValues(unlock, [])))
      return true
    })
    while (!(yield* attempt)) yield* connection.executeValues(pause, [])
  }
})

const isValid = "select 1 from pg_index where indexrelid = to_regclass($1) and indisvalid"
const lock = `select pg_try_advisory_lock(${advisoryLocks.concurrentIndexes})`
const unlock = `select pg_advisory_unlock(${advisoryLocks.concurrentIndexes})`
/** Waits on the database's clock: nodes also start in tests whose own clock stands still. */
const pause = "select pg_sleep(0.2)"
