/** OAuth applications, their authorization requests, and users' grants. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const oauth = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Two secrets are valid while one replaces the other. A public application has no secret.
  yield* sql`
    create table oauth_client (
      client_id text collate "C" primary key,
      name text not null,
      type text collate "C" not null,
      redirect_uris text[] not null,
      logo_uri text,
      client_uri text,
      grant_types text[] not null,
      secret_hash text collate "C",
      older_secret_hash text collate "C",
      created_at timestamptz not null,
      disabled_at timestamptz,
      check ((type = 'confidential') = (secret_hash is not null))
    )`

  // One row for a whole authorization: the request, the consenting user and their sign-in, the code, and the
  // resulting session.
  yield* sql`
    create table authorization_request (
      authorization_id_hash text collate "C" primary key,
      client_id text collate "C" not null references oauth_client,
      redirect_uri text not null,
      scope text not null,
      state text not null,
      code_challenge text not null,
      nonce text,
      resource text,
      status text collate "C" not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      user_id text collate "C" references venue_user,
      aal text collate "C",
      amr jsonb,
      code_hash text collate "C" unique,
      code_expires_at timestamptz,
      consumed_at timestamptz,
      session_id text collate "C",
      max_age_seconds integer,
      prompts_consent boolean not null default false,
      check ((status = 'approved') = (code_hash is not null))
    )`
  yield* sql`create index authorization_request_created_at on authorization_request (created_at)`
  yield* sql`create index authorization_request_of_user on authorization_request (user_id, client_id)`

  yield* sql`
    create table oauth_grant (
      user_id text collate "C" not null references venue_user,
      client_id text collate "C" not null references oauth_client,
      scopes text[] not null,
      granted_at timestamptz not null,
      primary key (user_id, client_id)
    )`
})
