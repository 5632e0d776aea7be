/**
 * Webhook endpoints, messages and delivery attempts. A message is written in the transaction of the state transition
 * that it reports, and must never fail or delay that transaction. For this reason no table references an endpoint,
 * which its user can delete at any time.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const webhooks = Effect.suspend(() => Effect.all([tables, triggers], { discard: true }))

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One sender has exclusive use of an endpoint until `taken_until`. The row is updated in place with each attempt.
  yield* sql`
    create table webhook (
      webhook_id text collate "C" primary key,
      user_id text collate "C" not null references venue_user,
      url text not null,
      events text[] not null,
      sealed_secret bytea not null,
      created_at timestamptz not null,
      failing_since timestamptz,
      disabled_at timestamptz,
      disabled_reason text collate "C" check ((disabled_reason is null) = (disabled_at is null)),
      taken_until timestamptz
    ) with (fillfactor = 70)`
  yield* sql`create index webhook_user on webhook (user_id)`

  yield* sql`
    create table webhook_message (
      message_id text collate "C" primary key,
      user_id text collate "C" not null,
      event text collate "C" not null,
      subject_id text collate "C" not null,
      method text collate "C" not null,
      amount numeric(60, 0) not null,
      fee numeric(60, 0),
      destination text,
      tx_hash text,
      created_at timestamptz not null,
      credited_at timestamptz,
      at timestamptz not null
    )`
  yield* sql`create index webhook_message_at on webhook_message (at)`

  // One row for each delivery attempt, whether pending or made.
  yield* sql`
    create table webhook_delivery (
      message_id text collate "C" not null references webhook_message on delete cascade,
      webhook_id text collate "C" not null,
      attempt integer not null,
      due_at timestamptz not null,
      outcome text collate "C" not null,
      status integer,
      fault text,
      ended_at timestamptz check ((ended_at is null) = (outcome = 'PENDING')),
      primary key (message_id, webhook_id, attempt)
    )`
  yield* sql`create index webhook_delivery_webhook on webhook_delivery (webhook_id, due_at)`
  yield* sql`create index webhook_delivery_due on webhook_delivery (webhook_id, due_at) where outcome = 'PENDING'`
})

const triggers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The message id is a hash of event and subject, so that each message is enqueued only once.
  yield* sql`
    create function tell_webhooks(
      of_user text, event text, subject_id text, method text, amount numeric, fee numeric, destination text, tx_hash text,
      created_at timestamptz, credited_at timestamptz, at timestamptz
    ) returns void language sql as $$
      with told as (
        select webhook_id from webhook where user_id = $1 and $2 = any(events) and disabled_at is null
      ),
      message as (
        insert into webhook_message
        select 'msg_' || left(encode(sha256(convert_to($2 || ' ' || $3, 'UTF8')), 'hex'), 32), $1, $2, $3, $4, $5, $6, $7, $8,
          $9, $10, $11
        where exists (select 1 from told)
        on conflict do nothing
        returning message_id
      )
      insert into webhook_delivery (message_id, webhook_id, attempt, due_at, outcome)
      select message_id, webhook_id, 1, $11, 'PENDING' from message cross join told
    $$`

  // Runs for each row instead of each statement, because every flush of the journal contains such a statement but
  // rarely inserts a row.
  yield* sql`
    create function tell_of_withdrawal() returns trigger language plpgsql as $$
      begin
        perform tell_webhooks(
          w.user_id, 'withdrawal.' || lower(new.to_state), w.withdrawal_id, w.method, w.amount, w.fee,
          case when w.rail = 'BANK' then (select b.masked from bank_account b where b.account_id = w.destination)
            else w.destination end,
          case when w.rail <> 'BANK' then w.reference end, w.created_at, null, new.at
        ) from withdrawal w where w.withdrawal_id = new.withdrawal_id;
        return null;
      end $$`
  yield* sql`
    create trigger withdrawal_is_told after insert on withdrawal_step
      for each row execute function tell_of_withdrawal()`
  yield* sql`
    create function tell_of_deposit() returns trigger language plpgsql as $$
      begin
        perform tell_webhooks(
          d.user_id, 'deposit.' || lower(new.to_state), d.deposit_id, d.method, d.amount, null, null,
          case when d.network <> 'BANK' then d.tx_hash end, d.detected_at, d.credited_at, new.at
        ) from deposit d where d.deposit_id = new.deposit_id;
        return null;
      end $$`
  yield* sql`
    create trigger deposit_is_told after insert on deposit_step
      for each row when (new.to_state in ('CREDITED', 'REVERSED')) execute function tell_of_deposit()`
})
