/** The keys that sign tokens were in a file of one process, and are here for every node. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const signingKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table signing_key (
      number bigint generated always as identity primary key,
      kid text collate "C" not null unique,
      state text collate "C" not null,
      since timestamptz not null,
      sealed_jwk bytea not null
    )`
  yield* sql`create unique index signing_key_active on signing_key (state) where state = 'active'`
})
