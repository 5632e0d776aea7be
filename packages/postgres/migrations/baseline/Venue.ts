/** Tables about the whole venue: fixed settings, nodes, operators, mode and audit log. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const venue = Effect.suspend(() => Effect.all([appendOnly, settings, operation, audit], { discard: true }))

const appendOnly = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function refuse_change() returns trigger language plpgsql as $$
      begin raise exception 'rows of % are only ever added', tg_table_name; end $$`
})

const settings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Settings that are fixed at the first start; every later start must use the same values.
  yield* sql`create table founding (name text collate "C" primary key, value text not null)`

  // One row for each process of a cluster. `wanted` is the state that an operator requested.
  yield* sql`
    create table node (
      node_id text collate "C" primary key,
      name text collate "C" not null unique,
      kind text collate "C" not null,
      address text collate "C" not null,
      release text collate "C" not null,
      settings jsonb not null,
      wanted text collate "C" not null default 'serving',
      is_ready boolean not null default false,
      shards integer not null default 0,
      started_at timestamptz not null default clock_timestamp(),
      last_seen_at timestamptz not null default clock_timestamp(),
      left_at timestamptz
    )`
})

const operation = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A removed operator's row is kept, so that a name in the audit log always denotes the same person.
  yield* sql`
    create table operator (
      name text collate "C" primary key,
      token_hash text collate "C" not null unique,
      roles text[] not null check (cardinality(roles) > 0),
      created_at timestamptz not null,
      removed_at timestamptz
    )`

  // A single row, updated in place by every audit. `reason` is for operators, and `public_reason` is for traders.
  yield* sql`
    create table venue_mode (
      is_only boolean primary key default true check (is_only),
      trading text collate "C" not null check (trading in ('TRADING', 'CANCEL_ONLY', 'HALTED')),
      withdrawals text collate "C" not null check (withdrawals in ('OPEN', 'BLOCKED')),
      reason text not null,
      changed_by text collate "C" not null,
      changed_at timestamptz not null,
      audited_at timestamptz,
      fault text,
      difference text,
      public_reason text,
      check (withdrawals = 'BLOCKED' or trading = 'TRADING')
    ) with (fillfactor = 10)`
  yield* sql`
    insert into venue_mode (trading, withdrawals, reason, changed_by, changed_at)
    values ('TRADING', 'OPEN', '', 'venue', clock_timestamp())`

  // Every statement that lets money leave the venue calls this function.
  yield* sql`
    create function withdrawals_are_open() returns boolean language sql volatile as $$
      select coalesce((
        select withdrawals = 'OPEN' and audited_at > clock_timestamp() - interval '30 seconds' from venue_mode
      ), false) $$`
})

const audit = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table audit (
      number bigint generated always as identity primary key,
      recorded_at timestamptz not null,
      action text collate "C" not null,
      actor text collate "C" not null,
      user_id text collate "C" not null,
      facts jsonb not null
    )`
  yield* sql`create index audit_of_user on audit (user_id, number)`
  yield* sql`
    create trigger audit_only_grows before update or delete or truncate on audit
      for each statement execute function refuse_change()`

  // Each desk's latest report about its accounts, updated in place.
  yield* sql`
    create table desk_report (
      desk text collate "C" primary key,
      reported_at timestamptz not null,
      traders jsonb not null
    )`

  // Ranges of rows that an auditor has read, each with the hash that the rows had when they were first read.
  yield* sql`
    create table audit_mark (
      number bigint generated always as identity primary key,
      of_table text collate "C" not null,
      name text collate "C" not null,
      first_row bigint not null,
      last_row bigint not null,
      count integer not null,
      hash bigint not null,
      unique (of_table, name, first_row)
    )`
  yield* sql`
    create trigger audit_mark_only_grows before update or delete or truncate on audit_mark
      for each statement execute function refuse_change()`
})
