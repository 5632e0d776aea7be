/** Second factors, their challenges and recovery codes. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const secondFactor = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The server must compute what the authenticator shows, so the secret is sealed rather than hashed.
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

  // How often a user challenged and verified within the minute that began at since_at.
  yield* sql`
    create table factor_attempts (
      user_id text collate "C" primary key references venue_user,
      since_at timestamptz not null,
      attempts integer not null
    )`

  // A used code is no longer here.
  yield* sql`
    create table recovery_code (
      user_id text collate "C" not null references venue_user,
      code_hash bytea not null,
      primary key (user_id, code_hash)
    )`
})
