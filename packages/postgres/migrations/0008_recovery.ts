/** Tables for a restored database that is behind a witness: the losses, the decisions about them, and the progress. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const recovery = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Credentials that are dated before `credentials_from` are refused, because they might have been used in the lost
  // time.
  yield* sql`
    create table recovery (
      recovery_id integer primary key,
      state text collate "C" not null check (state in ('OPEN', 'ACCEPTED', 'CANCELLING', 'DONE')),
      found_by text not null,
      found_at timestamptz not null,
      accepted_at timestamptz,
      credentials_from timestamptz,
      done_at timestamptz
    )`
  yield* sql`
    create table recovery_loss (
      recovery_id integer not null references recovery,
      stream text collate "C" not null,
      database_seq bigint not null,
      database_epoch integer not null,
      witnessed_seq bigint not null,
      witnessed_epoch integer not null,
      first_missing bigint not null,
      is_skipped boolean not null,
      primary key (recovery_id, stream)
    )`
  yield* sql`create index recovery_loss_of_stream on recovery_loss (stream)`
  yield* sql`
    create table recovery_fact (
      recovery_id integer not null references recovery,
      kind text collate "C" not null,
      subject text collate "C" not null,
      number bigint not null,
      is_restricted boolean not null,
      primary key (recovery_id, kind, subject)
    )`
  yield* sql`
    create table recovery_decision (
      recovery_id integer not null references recovery,
      operator text collate "C" not null,
      reason text not null,
      decided_at timestamptz not null,
      primary key (recovery_id, operator)
    )`
})
