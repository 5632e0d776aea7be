/** The journal, its snapshots, and the wake-up entries written together with its rows. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const journal = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Rows are written once and read whole, so compression would cost each flush more than the saved disk space is
  // worth. An auditor finds new rows by `transaction_id`, in whatever order they commit.
  yield* sql`
    create table journal (
      stream text collate "C" not null,
      seq bigint not null,
      epoch integer not null,
      recorded_at timestamptz not null default clock_timestamp(),
      events bytea not null,
      transaction_id xid8 default pg_current_xact_id(),
      primary key (stream, seq),
      check (seq > 0 and epoch > 0)
    ) with (toast_tuple_target = 8160)`
  yield* sql`alter table journal alter column events set storage external`
  // The index omits market streams. These few streams are known by name, and their rows are the most frequent.
  yield* sql`
    create index journal_transaction on journal (transaction_id)
      where transaction_id is not null and stream >= 'trader/' and stream < 'trader0'`

  // A state is stored in pieces, each sent as one message, so that a large state is never held in memory several
  // times.
  yield* sql`
    create table snapshot (
      stream text collate "C" primary key,
      seq bigint not null,
      bytes bigint not null
    )`
  yield* sql`
    create table snapshot_piece (
      stream text collate "C" not null,
      seq bigint not null,
      number integer not null,
      piece bytea not null,
      primary key (stream, seq, number)
    )`
  yield* sql`alter table snapshot_piece alter column piece set storage external`

  yield* sql`
    create table wake_up (
      user_id text collate "C" not null,
      reason text collate "C" not null,
      detail text collate "C" not null,
      desk text collate "C" not null,
      primary key (user_id, reason, detail)
    )`
  yield* sql`create index wake_up_of_desk on wake_up (desk)`
})
