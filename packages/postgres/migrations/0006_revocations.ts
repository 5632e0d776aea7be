/** What was taken back, for every node to hear of, and who did what. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const revocations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table revocation (
      number bigint generated always as identity primary key,
      kind text collate "C" not null,
      subject text collate "C" not null,
      revoked_at timestamptz not null default clock_timestamp()
    )`
  yield* sql`create index revocation_revoked_at on revocation (revoked_at)`

  yield* sql`
    create table audit (
      number bigint generated always as identity primary key,
      recorded_at timestamptz not null,
      action text collate "C" not null,
      actor text collate "C" not null,
      user_id text collate "C" not null,
      facts jsonb not null
    )`
  yield* sql`create index audit_of_user on audit (user_id, number)`
  yield* sql`
    create trigger audit_only_grows before update or delete or truncate on audit
      for each statement execute function refuse_change()`
})
