/** Users, their accounts, API keys and onboarding, and the codes for referrals and builders. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const users = Effect.suspend(() => Effect.all([identities, onboarding, referrals], { discard: true }))

const identities = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table venue_user (
      user_id text collate "C" primary key,
      name text not null,
      created_at timestamptz not null
    )`

  // A primary account has the same id as its user. An account never changes its owner.
  yield* sql`
    create table account (
      account_id text collate "C" primary key,
      user_id text collate "C" not null references venue_user,
      opened_at timestamptz not null
    )`
  yield* sql`create index account_of_user on account (user_id)`

  // The secret is sealed instead of hashed, because the server computes the same HMAC as the client.
  yield* sql`
    create table api_key (
      public_key text collate "C" primary key,
      user_id text collate "C" not null references venue_user,
      label text not null,
      sealed_secret bytea not null,
      permissions text[] not null,
      scope text collate "C" not null,
      created_at timestamptz not null,
      revoked_at timestamptz,
      allowed_addresses text[] not null default '{}',
      builder_user_id text collate "C" references venue_user,
      last_used_at timestamptz,
      last_failed_at timestamptz
    )`
  yield* sql`create index api_key_of_user on api_key (user_id)`
  // Ensures that a builder has at most one valid key per user, even if two are requested concurrently.
  yield* sql`
    create unique index api_key_of_builder on api_key (user_id, builder_user_id)
    where builder_user_id is not null and revoked_at is null`
})

const onboarding = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A user without a row has not begun onboarding. The reference is the provider's id for the latest verification.
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
  // Index for the leaderboard.
  yield* sql`create index profile_public on profile (user_id) where is_public`

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
})

const referrals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The unique number prevents two concurrent requests from issuing the same code twice.
  yield* sql`
    create table invitation_code (
      code text collate "C" primary key,
      user_id text collate "C" not null references venue_user,
      number integer not null,
      created_at timestamptz not null,
      held_for text collate "C" references venue_user,
      redeemed_at timestamptz,
      unique (user_id, number)
    )`
  yield* sql`create index invitation_code_redeemed on invitation_code (user_id) where redeemed_at is not null`

  // A referred user's fees by day. Updated in place all day, so the fill factor leaves room for the next row version.
  yield* sql`
    create table daily_fee (
      user_id text collate "C" not null,
      day integer not null,
      volume numeric(60, 0) not null,
      base numeric(60, 0) not null,
      primary key (user_id, day)
    ) with (fillfactor = 70)`

  yield* sql`
    create table referral_reward (
      user_id text collate "C" not null,
      day integer not null,
      account_id text collate "C" not null,
      amount numeric(60, 0) not null,
      primary key (user_id, day)
    )`
})
