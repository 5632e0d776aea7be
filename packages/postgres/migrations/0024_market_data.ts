/** What charts are drawn of: trades, prices and holders of each minute, and the funding of each hour. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const marketData = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The row of the running minute is updated in place, so pages are left room for its next version.
  yield* sql`
    create table candle_minute (
      symbol text collate "C" not null,
      minute integer not null,
      open_ticks bigint not null,
      high_ticks bigint not null,
      low_ticks bigint not null,
      close_ticks bigint not null,
      volume_lots numeric(60, 0) not null,
      notional numeric(60, 0) not null,
      trades bigint not null,
      taker_buy_lots numeric(60, 0) not null,
      taker_buy_notional numeric(60, 0) not null,
      primary key (symbol, minute)
    ) with (fillfactor = 70)`
  yield* sql`
    create table price_minute (
      symbol text collate "C" not null,
      minute integer not null,
      oracle_open_e8 bigint not null,
      oracle_high_e8 bigint not null,
      oracle_low_e8 bigint not null,
      oracle_close_e8 bigint not null,
      mark_open_e8 bigint not null,
      mark_close_e8 bigint not null,
      middle_open_half_ticks bigint not null,
      middle_close_half_ticks bigint not null,
      open_interest_open_lots bigint not null,
      open_interest_close_lots bigint not null,
      primary key (symbol, minute)
    ) with (fillfactor = 70)`
  yield* sql`
    create table funding_hour (
      symbol text collate "C" not null,
      minute integer not null,
      rate_e12 bigint not null,
      skipped boolean not null,
      primary key (symbol, minute)
    )`
  yield* sql`
    create table holders_minute (
      symbol text collate "C" not null,
      minute integer not null,
      long_users integer not null,
      short_users integer not null,
      primary key (symbol, minute)
    )`
})
