/** What each account traded on each day in each symbol, in 1e-6 USD: fee tiers are asked for by user and days. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const dailyVolume = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Updated in place all day long, so pages are left room for the next version of their rows.
  yield* sql`
    create table daily_volume (
      user_id text collate "C" not null,
      day integer not null,
      symbol text collate "C" not null,
      account_id text collate "C" not null,
      maker numeric(60, 0) not null,
      taker numeric(60, 0) not null,
      primary key (user_id, day, symbol, account_id)
    ) with (fillfactor = 70)`
})
