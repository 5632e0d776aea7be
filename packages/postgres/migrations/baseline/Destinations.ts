/** Deposit addresses and messages that users receive, and the bank accounts and addresses to which they withdraw. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const destinations = Effect.suspend(() => Effect.all([deposits, withdrawals], { discard: true }))

const deposits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A row of this table stays locked until the new address commits, so that numbers become visible in order and
  // without a gap. With a Postgres sequence, a later number could become visible first, and a reader that continues
  // from there would miss the earlier number.
  yield* sql`
    create table deposit_address_count (
      network text collate "C" primary key,
      count integer not null
    )`

  // An address belongs to its user permanently; users see only their newest address on a network.
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

  // A message attributes a bank transfer to its user.
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

  // The row of a removed account is kept, because a payment to the account might be in flight and past payments are
  // listed with it.
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
  // Upper-case and lower-case spellings of an address count as one destination.
  yield* sql`create unique index withdrawal_address_once on withdrawal_address (user_id, network, lower(address))`
})
