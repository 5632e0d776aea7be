/** Rails: allowed state transitions, scan cursors, flags, holdings and sweeps. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Allowed transitions of deposits and withdrawals. */
export const edges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Every allowed transition. The trigger, and the foreign keys of the transition tables, refuse all other
  // transitions.
  yield* sql`
    create table treasury_edge (
      of_table text collate "C" not null,
      from_state text collate "C" not null,
      to_state text collate "C" not null,
      primary key (of_table, from_state, to_state)
    )`
  yield* sql`
    insert into treasury_edge values
      ('withdrawal', 'ACCEPTED', 'QUEUED'),
      ('withdrawal', 'ACCEPTED', 'HELD_FOR_REVIEW'),
      ('withdrawal', 'HELD_FOR_REVIEW', 'QUEUED'),
      ('withdrawal', 'HELD_FOR_REVIEW', 'REJECTED'),
      ('withdrawal', 'QUEUED', 'SUBMITTED'),
      ('withdrawal', 'SUBMITTED', 'SETTLED'),
      ('withdrawal', 'SUBMITTED', 'FAILED'),
      ('deposit', 'DETECTED', 'CONFIRMED'),
      ('deposit', 'CONFIRMED', 'DETECTED'),
      ('deposit', 'CONFIRMED', 'CREDITED'),
      ('deposit', 'CREDITED', 'REVERSED'),
      ('deposit', 'DETECTED', 'DROPPED'),
      ('deposit', 'CONFIRMED', 'DROPPED'),
      ('deposit', 'DROPPED', 'DETECTED')`
  yield* sql`
    create function refuse_step() returns trigger language plpgsql as $$
      begin
        if new.state <> old.state and not exists (
          select 1 from treasury_edge e
          where e.of_table = tg_table_name and e.from_state = old.state and e.to_state = new.state
        ) then raise exception 'a % never goes from % to %', tg_table_name, old.state, new.state;
        end if;
        return new;
      end $$`
})

export const rails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Each rail's scan cursor for incoming transfers, and the time since which the rail has been unavailable.
  yield* sql`
    create table rail_state (
      rail text collate "C" primary key,
      cursor text,
      scanned_at timestamptz,
      unavailable_since timestamptz,
      cause jsonb
    )`

  // Users and addresses that an operator has flagged or frozen.
  yield* sql`
    create table treasury_flag (
      kind text collate "C" not null check (kind in ('user', 'address')),
      subject text collate "C" not null,
      effect text collate "C" not null check (effect in ('flagged', 'frozen')),
      reason text not null,
      set_by text not null,
      set_at timestamptz not null,
      primary key (kind, subject, effect)
    )`

  // The newest holdings report of each rail, updated in place. `left_ids` lists the in-flight withdrawals that the
  // rail has already deducted, `waiting_ids` the other ones.
  yield* sql`
    create table rail_holding (
      rail text collate "C" primary key,
      number bigint not null,
      amount numeric(60, 0) not null,
      position text not null,
      block bigint,
      as_of timestamptz not null,
      left_ids text[] not null,
      waiting_ids text[] not null
    )`

  // Amount that the rail should hold according to the auditor's books, updated in place. `times` counts consecutive
  // differences.
  yield* sql`
    create table rail_audit (
      rail text collate "C" primary key,
      number bigint not null,
      amount numeric(60, 0) not null,
      books numeric(60, 0) not null,
      uncredited numeric(60, 0) not null,
      position text not null,
      as_of timestamptz not null,
      times integer not null
    )`

  // Transfers from deposit addresses to the hot wallet that pays withdrawals.
  yield* sql`
    create table sweep (
      network text collate "C" not null,
      sequence integer not null check (sequence >= 0),
      address_index integer not null,
      address text collate "C" not null,
      amount numeric not null check (amount > 0),
      attempts jsonb not null check (jsonb_array_length(attempts) > 0),
      state text collate "C" not null check (state in ('OPEN', 'DONE', 'FAILED')),
      created_at timestamptz not null,
      primary key (network, sequence)
    )`
  yield* sql`create unique index sweep_open on sweep (network, address) where state = 'OPEN'`

  // State of a simulated chain or bank in a development venue.
  yield* sql`create table simulated_rail (rail text collate "C" primary key, state text not null)`
})
