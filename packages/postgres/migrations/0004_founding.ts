/** What a venue decided when it was founded and every later start must agree with. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const founding = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table founding (name text collate "C" primary key, value text not null)`
})
