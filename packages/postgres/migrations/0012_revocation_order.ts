/** Which transaction took something back: whoever polls knows by it what was committed since the last poll. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const revocationOrder = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table revocation add column made_by xid8 not null default pg_current_xact_id()`
  yield* sql`create index revocation_made_by on revocation (made_by)`
})
