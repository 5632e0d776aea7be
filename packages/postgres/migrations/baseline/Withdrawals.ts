/** Withdrawals: their states and state transitions, operators' decisions, and signed payments. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const withdrawals = Effect.suspend(() => Effect.all([states, payments], { discard: true }))

const states = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Written in the same commit as the trader's event that debits the account. The table does not repeat the trader
  // state machine's checks, because one failed check would fail every row of the flush.
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
      -- Number of the newest step; ACCEPTED is 1.
      step integer not null,
      -- Number of changes of the row: each change is stored on the condition that it was decided on the stored version.
      version integer not null default 1,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      queued_at timestamptz,
      -- Point of no return: once set, the withdrawal can only be returned to the account.
      ending text collate "C" check (ending in ('REJECTED', 'FAILED')),
      ended_by text check ((ended_by is null) = (ending is null)),
      -- Tag and fields.
      reason jsonb check ((reason is null) = (ending is null)),
      -- The transaction hash or bank reference of the payment.
      reference text collate "C",
      sequence bigint,
      -- Number of stored payments, cancels included.
      attempts integer not null default 0,
      refused_at timestamptz,
      -- Why the payment cannot be signed: tag and fields.
      refusal jsonb check ((refusal is null) = (refused_at is null)),
      cancelled_by text,
      cancel_reason text check ((cancel_reason is null) = (cancelled_by is null)),
      unique (rail, sequence)
    )`
  yield* sql`create index withdrawal_of_user on withdrawal (user_id, created_at, withdrawal_id)`
  yield* sql`
    create index withdrawal_open on withdrawal (rail, state, queued_at, withdrawal_id)
      where state not in ('SETTLED', 'REJECTED', 'FAILED')`
  yield* sql`create index withdrawal_refused on withdrawal (refused_at) where refused_at is not null`

  // Each state is entered at most once and left at most once, and only an entered state can be left.
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
})

const payments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Signed payments, stored before they are sent.
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

  // At most one decision per operator and withdrawal.
  yield* sql`
    create table withdrawal_decision (
      withdrawal_id text collate "C" not null references withdrawal,
      operator text collate "C" not null,
      decision text collate "C" not null check (decision in ('approve', 'reject')),
      reason text not null,
      decided_at timestamptz not null,
      primary key (withdrawal_id, operator)
    )`
})
