/**
 * Deposits and withdrawals, the steps they took, and what was signed for them. A step that is none is refused here, whoever
 * asks for it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const treasury = Effect.suspend(() => Effect.all([edges, withdrawals, deposits, rails], { discard: true }))

const edges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // There are no others.
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

const withdrawals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A row is written from the event that debits, in the commit of that event. What the trader's machine has decided is not
  // checked again: all rows of the same flush would fail with it.
  yield* sql`
    create table withdrawal (
      withdrawal_id text collate "C" primary key,
      user_id text collate "C" not null,
      rail text collate "C" not null,
      method text collate "C" not null,
      amount numeric(60, 0) not null,
      fee numeric(60, 0) not null,
      destination text collate "C" not null,
      reasons text[] not null,
      state text collate "C" not null,
      -- Of its newest step; the first, ACCEPTED, is 1.
      step integer not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      queued_at timestamptz,
      -- From when this is set nothing else can happen to it.
      ending text collate "C" check (ending in ('REJECTED', 'FAILED')),
      ended_by text check ((ended_by is null) = (ending is null)),
      reason text,
      -- The outside knows by it what was paid.
      reference text collate "C",
      sequence bigint,
      unique (rail, sequence)
    )`
  yield* sql`create index withdrawal_of_user on withdrawal (user_id, created_at, withdrawal_id)`
  yield* sql`
    create index withdrawal_open on withdrawal (rail, state, queued_at, withdrawal_id)
      where state not in ('SETTLED', 'REJECTED', 'FAILED')`
  // Each state is reached once and left once, from one that was reached.
  yield* sql`
    create table withdrawal_step (
      withdrawal_id text collate "C" not null references withdrawal,
      to_state text collate "C" not null,
      from_state text collate "C" check ((from_state is null) = (to_state = 'ACCEPTED')),
      step integer not null,
      of_table text collate "C" not null default 'withdrawal' check (of_table = 'withdrawal'),
      actor text not null,
      at timestamptz not null,
      primary key (withdrawal_id, to_state),
      unique (withdrawal_id, from_state),
      unique (withdrawal_id, step),
      foreign key (of_table, from_state, to_state) references treasury_edge,
      foreign key (withdrawal_id, from_state) references withdrawal_step (withdrawal_id, to_state)
    )`
  yield* sql`alter table withdrawal add foreign key (withdrawal_id, state) references withdrawal_step (withdrawal_id, to_state)`
  yield* sql`
    create trigger withdrawal_goes_on before update of state on withdrawal
      for each row execute function refuse_step()`
  yield* sql`
    create trigger withdrawal_step_only_grows before update or delete or truncate on withdrawal_step
      for each statement execute function refuse_change()`

  // What is sent is stored before it is sent.
  yield* sql`
    create table withdrawal_payment (
      withdrawal_id text collate "C" not null references withdrawal,
      attempt integer not null,
      purpose text collate "C" not null,
      reference text collate "C" not null,
      sealed_bytes bytea not null,
      expires_at timestamptz,
      signed_at timestamptz not null,
      primary key (withdrawal_id, attempt)
    )`
  yield* sql`
    create trigger withdrawal_payment_only_grows before update or delete or truncate on withdrawal_payment
      for each statement execute function refuse_change()`
})

const deposits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table deposit (
      network text collate "C" not null,
      tx_hash text collate "C" not null,
      log_index integer not null,
      deposit_id text collate "C" not null unique,
      method text collate "C" not null,
      address text collate "C" not null,
      user_id text collate "C",
      amount numeric(60, 0) not null,
      block_number bigint,
      block_hash text collate "C",
      state text collate "C" not null,
      step integer not null,
      -- Why it is not credited, or was reversed.
      reason text,
      detected_at timestamptz not null,
      updated_at timestamptz not null,
      checked_at timestamptz not null,
      -- From when this is set it is credited, whatever the chain says.
      offered_at timestamptz,
      credited_at timestamptz,
      -- The chain does not have it, since then; the bank took it back.
      gone_since timestamptz,
      is_returned boolean not null,
      is_final boolean not null,
      primary key (network, tx_hash, log_index)
    )`
  yield* sql`create index deposit_of_user on deposit (user_id, detected_at, deposit_id)`
  yield* sql`
    create index deposit_open on deposit (network, checked_at)
      where state in ('DETECTED', 'CONFIRMED', 'CREDITED')
        and (not is_final or is_returned or (state = 'CONFIRMED' and reason is null and user_id is not null))`
  yield* sql`
    create table deposit_step (
      deposit_id text collate "C" not null references deposit (deposit_id),
      step integer not null,
      from_state text collate "C" check ((from_state is null) = (step = 1)),
      to_state text collate "C" not null check (from_state is not null or to_state = 'DETECTED'),
      of_table text collate "C" not null default 'deposit' check (of_table = 'deposit'),
      actor text not null,
      at timestamptz not null,
      primary key (deposit_id, step),
      unique (deposit_id, step, to_state),
      foreign key (of_table, from_state, to_state) references treasury_edge
    )`
  yield* sql`
    create unique index deposit_step_once on deposit_step (deposit_id, to_state)
      where to_state in ('CREDITED', 'REVERSED')`
  yield* sql`alter table deposit add foreign key (deposit_id, step, state) references deposit_step (deposit_id, step, to_state)`
  yield* sql`
    create trigger deposit_goes_on before update of state on deposit
      for each row execute function refuse_step()`
  yield* sql`
    create trigger deposit_step_only_grows before update or delete or truncate on deposit_step
      for each statement execute function refuse_change()`
})

const rails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // How far what came in by a rail has been read, and since when it cannot be reached.
  yield* sql`
    create table rail_state (
      rail text collate "C" primary key,
      cursor text,
      scanned_at timestamptz,
      unavailable_since timestamptz,
      cause text
    )`

  // What an operator holds against a user or an address.
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
})
