/** What accounts held at the end of each quarter of an hour, and what they were valued at: profit and equity of the past. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const holding = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Updated in place for a quarter of an hour, so pages are left room for the next version of their rows.
  yield* sql`
    create table holding (
      symbol text collate "C" not null,
      account_id text collate "C" not null,
      quarter_hour integer not null,
      quantity_lots bigint not null,
      cash_flow bigint not null,
      basis bigint not null,
      fees bigint not null,
      funding bigint not null,
      rewards bigint not null,
      primary key (symbol, account_id, quarter_hour)
    ) with (fillfactor = 70)`
  yield* sql`
    create table mark_quarter_hour (
      symbol text collate "C" not null,
      quarter_hour integer not null,
      mark_e8 bigint not null,
      primary key (symbol, quarter_hour)
    ) with (fillfactor = 70)`
})
