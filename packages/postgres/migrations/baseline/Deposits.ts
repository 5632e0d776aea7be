/** Deposits, their states and their state transitions. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const deposits = Effect.gen(function* () {
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
      -- Number of changes of the row: each change is stored on the condition that it was decided on the stored version.
      version integer not null default 1,
      -- Why the deposit is not credited, or was reversed.
      reason text,
      detected_at timestamptz not null,
      updated_at timestamptz not null,
      checked_at timestamptz not null,
      -- Point of no return: once set, the deposit is credited even if the chain loses the transaction.
      offered_at timestamptz,
      credited_at timestamptz,
      -- Since when the transaction is missing from the chain, and whether the bank took the money back.
      gone_since timestamptz,
      is_returned boolean not null,
      is_final boolean not null,
      -- Holdings of the bank that are older than this include the deposit.
      returned_at timestamptz,
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
