/** When a bank took a deposit back: what it held before that had the deposit. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const depositReturn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Null too for deposits that were returned before this column: every holding of now is later.
  yield* sql`alter table deposit add column returned_at timestamptz`
})
