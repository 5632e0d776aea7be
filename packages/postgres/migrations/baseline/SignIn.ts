/** Sign-in with a wallet, sessions, second factors, revocations, and the keys that sign tokens. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const signIn = Effect.suspend(() => Effect.all([wallets, sessions, factors, revocations], { discard: true }))

const wallets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Nonces of requests that were signed with an API key.
  yield* sql`
    create table nonce (
      public_key text collate "C" not null,
      nonce text collate "C" not null,
      claimed_at timestamptz not null default clock_timestamp(),
      primary key (public_key, nonce)
    )`
  yield* sql`create index nonce_claimed_at on nonce (claimed_at)`

  yield* sql`
    create table wallet_nonce_use (
      purpose text collate "C" not null,
      address text collate "C" not null,
      nonce_hash bytea not null,
      expires_at timestamptz not null,
      primary key (purpose, address, nonce_hash)
    )`
  yield* sql`create index wallet_nonce_use_expires_at on wallet_nonce_use (expires_at)`

  // Sign-in attempts per network, shared by all nodes.
  yield* sql`
    create table sign_in_attempt (
      slot integer primary key,
      network_hash bytea not null,
      since timestamptz not null,
      sign_ins integer not null,
      failures integer not null
    )`
  yield* sql`create index sign_in_attempt_since on sign_in_attempt (since)`

  // The identity row is written before the user's row, so that it decides which of two concurrent first sign-ins
  // creates the user.
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
})

const sessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

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

  // A session's valid token is the one with the highest generation.
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

const factors = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The secret is sealed instead of hashed, because the server computes the same one-time codes as the authenticator
  // app.
  yield* sql`
    create table factor (
      factor_id text collate "C" primary key,
      user_id text collate "C" not null references venue_user,
      friendly_name text collate "C" not null,
      sealed_secret bytea not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      verified_at timestamptz,
      accepted_step bigint
    )`
  yield* sql`create index factor_of_user on factor (user_id)`
  yield* sql`create unique index factor_name on factor (user_id, friendly_name) where friendly_name <> ''`

  yield* sql`
    create table factor_challenge (
      challenge_id text collate "C" primary key,
      factor_id text collate "C" not null references factor on delete cascade,
      session_id text collate "C" not null,
      expires_at timestamptz not null,
      tries integer not null
    )`
  yield* sql`create index factor_challenge_of_factor on factor_challenge (factor_id)`

  // Number of a user's challenges and verifications within the minute that began at `since_at`.
  yield* sql`
    create table factor_attempts (
      user_id text collate "C" primary key references venue_user,
      since_at timestamptz not null,
      attempts integer not null
    )`

  // A used code's row is deleted.
  yield* sql`
    create table recovery_code (
      user_id text collate "C" not null references venue_user,
      code_hash bytea not null,
      primary key (user_id, code_hash)
    )`
})

const revocations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Every node polls for new rows. `made_by`, the transaction id, identifies rows that committed since the node's
  // last poll.
  yield* sql`
    create table revocation (
      number bigint generated always as identity primary key,
      kind text collate "C" not null,
      subject text collate "C" not null,
      revoked_at timestamptz not null default clock_timestamp(),
      made_by xid8 not null default pg_current_xact_id()
    )`
  yield* sql`create index revocation_revoked_at on revocation (revoked_at)`
  yield* sql`create index revocation_made_by on revocation (made_by)`

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
