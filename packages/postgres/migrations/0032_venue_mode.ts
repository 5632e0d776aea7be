/** What the whole venue lets in, and what its last audit found. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const venueMode = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One row, which every audit updates in place.
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
      check (withdrawals = 'BLOCKED' or trading = 'TRADING')
    ) with (fillfactor = 10)`
  yield* sql`
    insert into venue_mode (trading, withdrawals, reason, changed_by, changed_at)
    values ('TRADING', 'OPEN', '', 'venue', clock_timestamp())`

  // Whatever makes money leave asks this in the statement that does it.
  yield* sql`
    create function withdrawals_are_open() returns boolean language sql volatile as $$
      select coalesce((
        select withdrawals = 'OPEN' and audited_at > clock_timestamp() - interval '30 seconds' from venue_mode
      ), false) $$`
})
