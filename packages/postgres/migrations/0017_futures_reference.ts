/** What prices made of futures need: the official close and settlement of each day, and the exchange's holidays. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const futuresReference = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table settlement_price (
      symbol text collate "C" not null,
      day text collate "C" not null,
      official_close_e8 bigint not null,
      settlement_e8 bigint not null,
      recorded_at timestamptz not null,
      primary key (symbol, day)
    )`

  yield* sql`
    create table exchange_holiday (
      day text collate "C" primary key
    )`
})
