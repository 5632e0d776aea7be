/** The list of archived journal rows. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const journalArchive = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Each row is a file outside the database. A range is added before its rows are deleted from the journal. `digest` is
  // the file's SHA-256.
  yield* sql`
    create table journal_archive (
      number bigint generated always as identity unique,
      stream text collate "C" not null,
      first_row bigint not null,
      last_row bigint not null check (last_row >= first_row),
      digest bytea not null,
      archived_at timestamptz not null default clock_timestamp(),
      deleted_at timestamptz,
      primary key (stream, first_row)
    )`
})
