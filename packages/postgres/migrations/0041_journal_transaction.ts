/** The transaction that wrote each row of the journal: an auditor finds new rows by it, whatever order they commit in. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const journalTransaction = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The default is set apart from the column: rows that exist keep null, and the table is not rewritten.
  yield* sql`alter table journal add column transaction_id xid8`
  yield* sql`alter table journal alter column transaction_id set default pg_current_xact_id()`

  // Its index is built beside a venue that runs: `ConcurrentIndexes.ts`.
})
