/** Deposit addresses and messages that users receive, and the bank accounts and addresses that withdrawals go to. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const destinations = Effect.suspend(() => Effect.all([deposits, withdrawals], { discard: true }))

const deposits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The row is locked until the new address commits, so numbers become visible in order and without a gap. A Postgres
  // sequence would show a later number first, and a reader that continues from there would miss the earlier one.
  yield* sql`
    create table deposit_address_count (
      network text collate "C" primary key,
      count integer not null
    )`

  // An address stays its user's forever; the newest one of a network is shown.
  yield* sql`
    create table deposit_address (
      network text collate "C" not null,
      index integer not null,
      user_id text collate "C" not null references venue_user,
      address text collate "C" not null,
      created_at timestamptz not null,
      primary key (network, index),
      unique (network, address)
    )`
  yield* sql`create index deposit_address_user on deposit_address (user_id, network, index)`

  // The message by which a bank transfer is attributed to its user.
  yield* sql`
    create table deposit_message (
      user_id text collate "C" not null references venue_user,
      rail text collate "C" not null,
      message text collate "C" not null unique,
      created_at timestamptz not null,
      primary key (user_id, rail)
    )`
})

const withdrawals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A removed account is kept: a payment to it may be in flight, and past payments are listed with it.
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
    create table withdrawal_address (
      user_id text collate "C" not null references venue_user,
      network text collate "C" not null,
      address text collate "C" not null,
      label text,
      created_at timestamptz not null,
      address_id text collate "C" not null unique,
      verified boolean not null
    )`
  // Upper and lower case spellings of an address are one destination.
  yield* sql`create unique index withdrawal_address_once on withdrawal_address (user_id, network, lower(address))`
})
