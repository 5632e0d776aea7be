/** Codes that bring users, the fees of each day that count for whoever brought them, and what was credited for those. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const referrals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Two requests at once issue each number once.
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

  // Updated in place all day long, so pages are left room for the next version of their rows.
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
