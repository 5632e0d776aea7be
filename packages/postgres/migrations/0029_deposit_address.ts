/** The addresses that users are given to send money to, and the number that each network's next one has. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const depositAddress = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Whoever makes an address holds this row until it is committed, so that numbers are seen in their order, without a
  // gap: a sequence of Postgres would show a later one first, and a reader that goes on from there would miss the other.
  yield* sql`
    create table deposit_address_count (
      network text collate "C" primary key,
      count integer not null
    )`

  // An address that was handed out is the user's for ever; the newest of a network is the one that is shown.
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
})
