/** The futures behind prices by name: which one is in use when, and of which one a settlement is. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const settlementCalendar = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // What was recorded before has none.
  yield* sql`alter table settlement_price add column future_symbol text collate "C"`
  yield* sql`create index settlement_price_of_day on settlement_price (day desc, symbol)`
  yield* sql`
    create table settlement_calendar (
      symbol text collate "C" not null,
      active_from timestamptz not null,
      active_until timestamptz not null,
      future_symbol text collate "C" not null,
      expiration timestamptz not null,
      recorded_at timestamptz not null,
      primary key (symbol, active_from)
    )`
})
