/**
 * What was: trades, ended orders and ledger entries, projected from the journal.
 *
 * Prices count ticks, quantities lots, money 1e-6 USD, times milliseconds: what the domain counts, so that nothing is
 * rounded here and a reader needs the instrument to print a row.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const readTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // How far each stream of the journal has been projected; moved in the transaction that writes the rows.
  yield* sql`
    create table projection (
      stream text collate "C" primary key,
      seq bigint not null
    )`

  // One row for each side of a trade. The number counts within the market, so the key grows at its end.
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
  yield* sql`create index trade_of_account on trade (account_id, at_millis)`
  yield* sql`create index trade_of_order on trade (order_id)`

  // One row for each order when it ends. What it filled is summed from its trades when it is read.
  yield* sql`
    create table ended_order (
      order_id text collate "C" primary key,
      status text collate "C" not null,
      ended_at_millis bigint not null,
      placed_at_millis bigint not null,
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
      -- Of a refused order, as the client wrote them: they may be no ticks and no lots.
      asked_price double precision,
      asked_quantity double precision
    )`
  yield* sql`create index ended_order_of_account on ended_order (account_id, ended_at_millis)`

  // Double entry: what one event writes sums to zero. The place counts within the journal row.
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
    create function refuse_change() returns trigger language plpgsql as $$
      begin raise exception 'rows of % are only ever added', tg_table_name; end $$`
  yield* sql`
    create trigger ledger_entry_only_grows before update or delete or truncate on ledger_entry
      for each statement execute function refuse_change()`
})
