/** What each rail holds, and what an auditor says of it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const railHolding = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The newest of each, updated in place. What had left by then, of all that was sent and not ended, and what had not.
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

  // What the auditor's own books say the rail was to hold then; updated in place. `times` counts those in a row that differed.
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
})
