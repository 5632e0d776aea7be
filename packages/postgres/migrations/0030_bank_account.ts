/** The bank accounts that users link, the messages by which their transfers are known, and more of withdrawal addresses. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const bankAccount = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One that is taken away is kept: money may be on its way to it, and what was paid has to be told later.
  yield* sql`
    create table bank_account (
      account_id text collate "C" primary key,
      user_id text collate "C" not null references venue_user,
      sealed_details bytea not null,
      masked text not null,
      holder_known boolean not null,
      created_at timestamptz not null,
      removed_at timestamptz
    )`
  yield* sql`create index bank_account_user on bank_account (user_id) where removed_at is null`

  yield* sql`
    create table deposit_message (
      user_id text collate "C" not null references venue_user,
      rail text collate "C" not null,
      message text collate "C" not null unique,
      created_at timestamptz not null,
      primary key (user_id, rail)
    )`

  // Until now an address was only ever added by the wallet that has it, without a label.
  yield* sql`
    alter table withdrawal_address
      add address_id text collate "C" not null default gen_random_uuid()::text unique,
      add verified boolean not null default true,
      alter label drop not null`
  yield* sql`alter table withdrawal_address alter address_id drop default, alter verified drop default`
  yield* sql`update withdrawal_address set label = null where label = ''`
})
