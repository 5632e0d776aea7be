/** How often networks signed in of late: what one process counted for itself is counted for all. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const signInAttempts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table sign_in_attempt (
      slot integer primary key,
      network_hash bytea not null,
      since timestamptz not null,
      sign_ins integer not null,
      failures integer not null
    )`
  yield* sql`create index sign_in_attempt_since on sign_in_attempt (since)`
})
