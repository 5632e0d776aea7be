/** The people who run the venue. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const operator = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Rows stay when somebody is removed, so that a name in the audit is always the same person's.
  yield* sql`
    create table operator (
      name text collate "C" primary key,
      token_hash text collate "C" not null unique,
      roles text[] not null check (cardinality(roles) > 0),
      created_at timestamptz not null,
      removed_at timestamptz
    )`
})
