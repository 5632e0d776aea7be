/** The journal, its snapshots, the wake-up entries that ride along with it, and request nonces. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const journal = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Rows are written once and read whole: compressing them would cost the flush more than the disk.
  yield* sql`
    create table journal (
      stream text collate "C" not null,
      seq bigint not null,
      epoch integer not null,
      recorded_at timestamptz not null default clock_timestamp(),
      events bytea not null,
      primary key (stream, seq),
      check (seq > 0 and epoch > 0)
    ) with (toast_tuple_target = 8160)`
  yield* sql`alter table journal alter column events set storage external`

  // Uncompressed, so that a large state is read in slices without unpacking it for each.
  yield* sql`
    create table snapshot (
      stream text collate "C" primary key,
      seq bigint not null,
      state bytea not null
    )`
  yield* sql`alter table snapshot alter column state set storage external`

  yield* sql`
    create table wake_up (
      user_id text collate "C" not null,
      reason text collate "C" not null,
      detail text collate "C" not null,
      primary key (user_id, reason, detail)
    )`

  yield* sql`
    create table nonce (
      public_key text collate "C" not null,
      nonce text collate "C" not null,
      claimed_at timestamptz not null default clock_timestamp(),
      primary key (public_key, nonce)
    )`
  yield* sql`create index nonce_claimed_at on nonce (claimed_at)`
})
