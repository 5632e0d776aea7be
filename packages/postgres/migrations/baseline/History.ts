/**
 * The accounts' history, projected from the journal: trades, ended orders and TWAPs, ledger entries, volumes and
 * holdings. Values have the domain's units, so that nothing is rounded: prices in ticks, quantities in lots, money in
 * 1e-6 USD, times in milliseconds.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const history = Effect.suspend(() => Effect.all([trades, orders, ledger, holdings], { discard: true }))

const trades = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Last projected row of each stream for each group of tables, updated in the transaction that writes the projected
  // rows.
  yield* sql`
    create table projection (
      position text collate "C" primary key,
      seq bigint not null
    )`

  // One row for each side of a trade. Trades are numbered per market, so new keys are appended at the end of the
  // index.
  yield* sql`
    create table trade (
      symbol text collate "C" not null,
      number bigint not null,
      side text collate "C" not null,
      aggressor_side text collate "C" not null,
      trade_id text collate "C" not null,
      account_id text collate "C" not null,
      user_id text collate "C" not null,
      order_id text collate "C" not null,
      client_order_id text collate "C" not null,
      price bigint not null,
      quantity bigint not null,
      order_price bigint not null,
      remaining bigint not null,
      fee bigint not null,
      realised bigint not null,
      margin_used bigint not null,
      order_type text collate "C" not null,
      time_in_force text collate "C" not null,
      origin text collate "C" not null,
      builder_code text collate "C" not null,
      liquidation text collate "C" not null,
      execution_type text collate "C" not null,
      at_millis bigint not null,
      primary key (symbol, number, side)
    )`
  yield* sql`create index trade_of_order on trade (order_id)`
  // Lists of one account's trades are read in index order from either end, regardless of their length. Lists of
  // orders and TWAPs have similar indexes.
  yield* sql`create index trade_of_account_at on trade (account_id, at_millis, symbol, number)`
  yield* sql`create index trade_of_account_in on trade (account_id, symbol, at_millis, number)`
})

const orders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One row per order, written when the order ends. The order's filled quantity is the sum of its trades.
  yield* sql`
    create table ended_order (
      order_id text collate "C" primary key,
      status text collate "C" not null,
      ended_at_millis bigint not null,
      symbol text collate "C" not null,
      account_id text collate "C" not null,
      user_id text collate "C" not null,
      client_order_id text collate "C" not null,
      side text collate "C" not null,
      order_type text collate "C" not null,
      time_in_force text collate "C" not null,
      price bigint not null,
      quantity bigint not null,
      reduce_only boolean not null,
      -- The numbers a refused order was sent with: they may be no whole ticks and lots.
      asked_price double precision,
      asked_quantity double precision
    )`
  yield* sql`create index ended_order_of_account_at on ended_order (account_id, ended_at_millis, order_id)`
  yield* sql`create index ended_order_of_account_in on ended_order (account_id, symbol, ended_at_millis, order_id)`
  // Not a unique index, because client order ids can repeat.
  yield* sql`
    create index ended_order_of_account_named
      on ended_order (account_id, client_order_id, ended_at_millis, order_id)`

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
  yield* sql`create index twap_of_account_at on twap (account_id, ended_at_millis, twap_id)`
  yield* sql`create index twap_of_account_in on twap (account_id, symbol, ended_at_millis, twap_id)`
})

const ledger = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Double entry: the entries of each event sum to zero. `place` is the entry's position within its journal row.
  yield* sql`
    create table ledger_entry (
      stream text collate "C" not null,
      seq bigint not null,
      place integer not null,
      transaction_id text collate "C" not null,
      kind text collate "C" not null,
      account text collate "C" not null,
      asset text collate "C" not null,
      amount numeric(60, 0) not null,
      reason text not null,
      at_millis bigint not null,
      primary key (stream, seq, place)
    )`
  yield* sql`create index ledger_entry_of_account on ledger_entry (account)`
  yield* sql`
    create trigger ledger_entry_only_grows before update or delete or truncate on ledger_entry
      for each statement execute function refuse_change()`
})

/**
 * Rows of the current period are updated in place, so the fill factor leaves room on the page for the next row
 * version.
 */
const holdings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Volume in 1e-6 USD per user and day, from which fee tiers are computed.
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

  // Positions at the end of each quarter-hour and the mark prices that value them, for PnL and equity series.
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
