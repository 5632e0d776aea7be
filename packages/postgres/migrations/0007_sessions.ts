/** Wallets that signed in, sessions, and the tokens that keep them alive. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const sessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table wallet_nonce_use (
      purpose text collate "C" not null,
      address text collate "C" not null,
      nonce_hash bytea not null,
      expires_at timestamptz not null,
      primary key (purpose, address, nonce_hash)
    )`
  yield* sql`create index wallet_nonce_use_expires_at on wallet_nonce_use (expires_at)`

  // Of two first sign-ins at once the identity decides which makes the user, so it is written before the user is.
  yield* sql`
    create table identity (
      subject text collate "C" primary key,
      identity_id text collate "C" not null unique,
      user_id text collate "C" not null references venue_user deferrable initially deferred,
      address text collate "C" not null,
      network text not null,
      domain text not null,
      statement text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      last_sign_in_at timestamptz
    )`
  yield* sql`create index identity_of_user on identity (user_id)`

  yield* sql`
    create table session (
      session_id text collate "C" primary key,
      user_id text collate "C" not null references venue_user,
      client_id text collate "C",
      public_client boolean not null,
      scope text,
      aal text not null,
      amr jsonb not null,
      created_at timestamptz not null,
      refreshed_at timestamptz not null,
      expires_at timestamptz not null,
      ended_at timestamptz
    )`
  yield* sql`create index live_session_of_user on session (user_id, session_id) where ended_at is null`
  yield* sql`create index session_expires_at on session (expires_at)`

  // The token with the highest generation of its session is the one that counts.
  yield* sql`
    create table refresh_token (
      token_hash bytea primary key,
      session_id text collate "C" not null references session on delete cascade,
      generation integer not null,
      salt bytea not null,
      issued_at timestamptz not null,
      unique (session_id, generation)
    )`
})
