/** What is brought from deposit addresses to the account that pays withdrawals. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const sweep = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table sweep (
      network text collate "C" not null,
      sequence integer not null check (sequence >= 0),
      address_index integer not null,
      address text collate "C" not null,
      amount numeric not null check (amount > 0),
      attempts jsonb not null check (jsonb_array_length(attempts) > 0),
      state text collate "C" not null check (state in ('OPEN', 'DONE', 'FAILED')),
      created_at timestamptz not null,
      primary key (network, sequence)
    )`
  yield* sql`create unique index sweep_open on sweep (network, address) where state = 'OPEN'`
})
