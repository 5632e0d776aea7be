/** Settings that operators change while the venue runs, and contracts that nodes add while they run. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const runningSettings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Every value that a setting ever had, without secrets. `number` is the version of all settings after the change.
  yield* sql`
    create table setting_change (
      number bigint generated always as identity primary key,
      name text collate "C" not null,
      value text,
      fingerprint text collate "C",
      changed_by text collate "C" not null,
      changed_at timestamptz not null,
      reason text not null
    )`
  yield* sql`
    create trigger setting_change_only_grows before update or delete or truncate on setting_change
      for each statement execute function refuse_change()`

  // Numbers of operators' contracts that a node knows and trades; null for a node of release 0.1.0.
  yield* sql`alter table node add column contracts_known integer, add column contracts_in_force integer`

  // The current value of each setting: its text, or its sealed secret.
  yield* sql`
    create table running_setting (
      name text collate "C" primary key,
      number bigint not null references setting_change (number),
      value text,
      sealed_value bytea,
      check ((value is null) <> (sealed_value is null))
    )`

  // Changes that need a second operator, one for each operator who has requested one. `change` has the new values by
  // name, with fingerprints of secrets. A row for an earlier version of the settings has no effect.
  yield* sql`
    create table setting_decision (
      operator text collate "C" primary key,
      version bigint not null,
      change jsonb not null,
      reason text not null,
      decided_at timestamptz not null
    )`
})
