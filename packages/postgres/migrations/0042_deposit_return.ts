/** Adds the time at which a bank took a deposit back: earlier holdings of the bank include the deposit. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const depositReturn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Null also for deposits that were returned before this column was added: every new holding is later.
  yield* sql`alter table deposit add column returned_at timestamptz`
})
