/** How far a user has come, what they agreed to, builder codes and where money may leave to. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const onboarding = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Who has no row has come nowhere yet. The reference is the provider's, of the latest verification.
  yield* sql`
    create table user_state (
      user_id text collate "C" primary key references venue_user,
      identity text collate "C" not null default 'none',
      identity_reference text collate "C" unique,
      identity_changed_at_millis bigint not null default 0,
      country text collate "C",
      seen_in text collate "C",
      terms_version text collate "C",
      frozen boolean not null default false
    )`

  yield* sql`
    create table profile (
      user_id text collate "C" primary key references venue_user,
      username text collate "C" unique,
      avatar_url text,
      is_public boolean not null default false,
      first_name text,
      last_name text
    )`

  yield* sql`
    create table builder_code (
      builder_code text collate "C" primary key,
      user_id text collate "C" not null unique references venue_user,
      venue_bps integer not null,
      builder_bps integer not null,
      active boolean not null default false,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`

  yield* sql`
    create table legal_acceptance (
      number bigint generated always as identity primary key,
      user_id text collate "C" not null references venue_user,
      terms_version text collate "C",
      agreement_url text not null,
      source text collate "C" not null,
      address text collate "C",
      message_hash bytea,
      builder_code text collate "C",
      accepted_at timestamptz not null
    )`
  yield* sql`create index legal_acceptance_of_user on legal_acceptance (user_id, number)`
  yield* sql`
    create trigger legal_acceptance_only_grows before update or delete or truncate on legal_acceptance
      for each statement execute function refuse_change()`

  yield* sql`
    create table withdrawal_address (
      user_id text collate "C" not null references venue_user,
      network text collate "C" not null,
      address text collate "C" not null,
      label text not null,
      created_at timestamptz not null
    )`
  // One address is one destination, however it is written.
  yield* sql`create unique index withdrawal_address_once on withdrawal_address (user_id, network, lower(address))`
})
