/** Indexes of tables that may have very many rows: built beside the venue that runs, outside the transaction of the migrations. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "./AdvisoryLocks.ts"

const indexes: Readonly<Record<string, string>> = {
  // Streams of markets are few and known by name, so their rows, the most frequent ones, need no entry here.
  journal_transaction: `
    journal (transaction_id)
    where transaction_id is not null and stream >= 'trader/' and stream < 'trader0'`
}

/** Builds the indexes that are missing. Nodes that start together take turns; appends to the tables go on. */
export const build: Effect.Effect<void, SqlError, SqlClient.SqlClient> = Effect.scoped(
  Effect.gen(function* () {
    const connection = yield* (yield* SqlClient.SqlClient).reserve
    for (const [name, of] of Object.entries(indexes)) {
      const isBuilt = Effect.map(connection.executeValues(isValid, [name]), (rows) => rows.length > 0)
      const inTurn = Effect.gen(function* () {
        if (yield* isBuilt) return
        // What a build that was interrupted left behind is not used by queries.
        yield* connection.executeValues(`drop index concurrently if exists ${name}`, [])
        yield* connection.executeValues(`create index concurrently ${name} on ${of}`, [])
      })
      // The build waits for statements that began before it, so a node must not wait for the lock inside a long one.
      const attempt = Effect.gen(function* () {
        if (yield* isBuilt) return true
        const [row] = yield* connection.executeValues(lock, [])
        if (row?.[0] !== true) return false
        yield* Effect.ensuring(inTurn, Effect.ignore(connection.executeValues(unlock, [])))
        return true
      })
      while (!(yield* attempt)) yield* connection.executeValues(pause, [])
    }
  })
)

const isValid = "select 1 from pg_index where indexrelid = to_regclass($1) and indisvalid"
const lock = `select pg_try_advisory_lock(${advisoryLocks.concurrentIndexes})`
const unlock = `select pg_advisory_unlock(${advisoryLocks.concurrentIndexes})`
/** The database's own clock: a test whose clock stands still starts nodes, too. */
const pause = "select pg_sleep(0.2)"
