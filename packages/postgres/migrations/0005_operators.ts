/** Expiry and second factors of operators' tokens. Nodes of the previous release ignore the new columns and table. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const operators = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A token without an expiry was issued before this migration. `accepted_step` is null until the first code.
  yield* sql`
    alter table operator
      add column expires_at timestamptz,
      add column needs_factor boolean not null default false,
      add column sealed_factor bytea,
      add column accepted_step bigint`

  // Bearers that operators obtained with a code of their second factor.
  yield* sql`
    create table operator_session (
      token_hash text collate "C" primary key,
      name text collate "C" not null references operator,
      created_at timestamptz not null,
      expires_at timestamptz not null
    )`
  yield* sql`create index operator_session_of_name on operator_session (name)`
})
