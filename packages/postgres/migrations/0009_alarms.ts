/** Operator webhooks, the alarms that were pushed to them, and what nodes report about themselves. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const alarms = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table alarm_webhook (
      webhook_id text collate "C" primary key,
      url text not null,
      sealed_secret bytea not null,
      created_by text not null,
      created_at timestamptz not null,
      delivered_at timestamptz,
      failing_since timestamptz,
      fault text
    )`

  // One row: the node that sends, until the lease ends.
  yield* sql`
    create table alarm_sender (
      role text collate "C" primary key,
      holder text collate "C" not null,
      held_until timestamptz not null
    )`
  yield* sql`
    create table tracked_alarm (
      alarm_id text collate "C" primary key,
      source text collate "C" not null,
      alarm jsonb not null,
      first_at timestamptz not null,
      pushes integer not null,
      pushed_at timestamptz,
      absent_since timestamptz
    )`

  // No reference to the webhook: a message that is written while its webhook is being removed must not fail.
  yield* sql`
    create table alarm_message (
      message_id text collate "C" not null,
      webhook_id text collate "C" not null,
      body text not null,
      at timestamptz not null,
      attempts integer not null,
      due_at timestamptz not null,
      primary key (webhook_id, message_id)
    )`
  yield* sql`create index alarm_message_due on alarm_message (due_at)`

  yield* sql`
    create table node_report (
      name text collate "C" primary key,
      kind text collate "C" not null,
      conditions jsonb not null,
      reported_at timestamptz not null
    )`
  yield* sql`
    create table dead_price_source (
      name text collate "C" primary key,
      reason text not null,
      since timestamptz not null
    )`
})
