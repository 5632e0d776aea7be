/** What those who run the venue said of withdrawals that are held. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const withdrawalDecision = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // One word of each: whoever says it twice is one person still.
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
