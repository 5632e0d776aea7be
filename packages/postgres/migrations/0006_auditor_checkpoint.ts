/** The auditor's checkpoint: its newest state, from which it continues after a restart. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const auditorCheckpoint = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `full_pass_at` is in ms since 1970. `digest` is the SHA-256 of the version, of this time and of the pieces.
  yield* sql`
    create table audit_checkpoint (
      is_only boolean primary key default true check (is_only),
      version text collate "C" not null,
      saved_at timestamptz not null default clock_timestamp(),
      full_pass_at bigint not null,
      bytes bigint not null,
      digest bytea not null
    )`
  yield* sql`create table audit_checkpoint_piece (number integer primary key, piece bytea not null)`
  yield* sql`alter table audit_checkpoint_piece alter column piece set storage external`
})
