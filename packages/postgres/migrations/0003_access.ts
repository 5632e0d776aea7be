/** Who there is, what they own, and the keys they call with. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const access = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table venue_user (
      user_id text collate "C" primary key,
      name text not null,
      created_at timestamptz not null
    )`

  // The primary account has the user's own id. An account never changes hands.
  yield* sql`
    create table account (
      account_id text collate "C" primary key,
      user_id text collate "C" not null references venue_user,
      opened_at timestamptz not null
    )`
  yield* sql`create index account_of_user on account (user_id)`

  // The server must compute what the client signs, so the secret is sealed rather than hashed.
  yield* sql`
    create table api_key (
      public_key text collate "C" primary key,
      user_id text collate "C" not null references venue_user,
      label text not null,
      sealed_secret bytea not null,
      permissions text[] not null,
      scope text collate "C" not null,
      created_at timestamptz not null,
      revoked_at timestamptz
    )`
  yield* sql`create index api_key_of_user on api_key (user_id)`
})
