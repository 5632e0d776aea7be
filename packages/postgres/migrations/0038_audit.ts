/** What an auditor works with: what desks say of their accounts, and the marks of rows that it has read. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const audit = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Each desk's last, updated in place.
  yield* sql`
    create table desk_report (
      desk text collate "C" primary key,
      reported_at timestamptz not null,
      traders jsonb not null
    )`

  // Rows of a table from one number to another, and the hash that they had when they were first read.
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
