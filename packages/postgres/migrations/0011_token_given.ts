/** The time at which another operator last gave an operator a token. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const tokenGiven = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table operator add column token_given_at timestamptz`
})
