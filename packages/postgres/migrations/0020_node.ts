/** The processes of a venue that runs as many: who they are, what they agree on, and what an operator wants of them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const node = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table node (
      node_id text collate "C" primary key,
      name text collate "C" not null unique,
      kind text collate "C" not null,
      address text collate "C" not null,
      release text collate "C" not null,
      settings jsonb not null,
      wanted text collate "C" not null default 'serving',
      is_ready boolean not null default false,
      shards integer not null default 0,
      started_at timestamptz not null default clock_timestamp(),
      last_seen_at timestamptz not null default clock_timestamp(),
      left_at timestamptz
    )`
})
