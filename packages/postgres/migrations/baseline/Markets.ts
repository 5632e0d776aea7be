/** Market data for charts, listed contracts, and the futures from which reference prices are derived. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const markets = Effect.suspend(() => Effect.all([charts, contracts], { discard: true }))

/**
 * The current minute's row is updated in place, so the fill factor leaves room on the page for the next row version.
 */
const charts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
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

const contracts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Contracts that an operator listed in addition to a new venue's contracts; read at each start.
  yield* sql`
    create table listing (
      base text collate "C" primary key,
      clob_pair_id bigint not null unique,
      category text collate "C" not null,
      tick_e8 bigint not null,
      lot_e8 bigint not null,
      min_quantity_lots bigint not null,
      max_quantity_lots bigint not null,
      max_leverage bigint not null,
      listed_at timestamptz not null
    )`

  // Each day's official close and settlement price, and the future to which the settlement price belongs.
  yield* sql`
    create table settlement_price (
      symbol text collate "C" not null,
      day text collate "C" not null,
      official_close_e8 bigint not null,
      settlement_e8 bigint not null,
      recorded_at timestamptz not null,
      future_symbol text collate "C",
      primary key (symbol, day)
    )`
  yield* sql`create index settlement_price_of_day on settlement_price (day desc, symbol)`

  yield* sql`create table exchange_holiday (day text collate "C" primary key)`

  // The future that is in use during each period.
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
