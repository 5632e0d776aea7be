/** A snapshot in pieces, each of which is one message: a large one is neither held in memory many times nor refused. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const snapshotPieces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

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
    insert into snapshot_piece (stream, seq, number, piece)
    select stream, seq, number, substring(state from number * 4194304 + 1 for 4194304)
    from snapshot, generate_series(0, (octet_length(state) - 1) / 4194304) number`
  yield* sql`alter table snapshot add column bytes bigint not null default 0`
  yield* sql`update snapshot set bytes = octet_length(state)`
  yield* sql`alter table snapshot alter column bytes drop default, drop column state`
})
