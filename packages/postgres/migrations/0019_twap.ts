/** TWAPs that have ended, as their account lists them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const twap = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table twap (
      twap_id text collate "C" primary key,
      ended_at_millis bigint not null,
      account_id text collate "C" not null,
      user_id text collate "C" not null,
      symbol text collate "C" not null,
      status text collate "C" not null,
      ending text collate "C" not null,
      client_twap_id text not null,
      side text collate "C" not null,
      total_quantity bigint not null,
      filled_quantity bigint not null,
      filled_value bigint not null,
      worst_price bigint not null,
      slices bigint not null,
      filled_slices bigint not null,
      interval_millis bigint not null,
      reduce_only boolean not null,
      start_at_millis bigint not null,
      created_at_millis bigint not null
    )`
  yield* sql`create index twap_of_account on twap (account_id, ended_at_millis)`
})
