/** Withdrawals are submitted before they are signed: what keeps one from being signed, and who wants it cancelled. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const withdrawalSigning = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table withdrawal
      add column refused_at timestamptz,
      add column refusal text check ((refusal is null) = (refused_at is null)),
      add column cancelled_by text,
      add column cancel_reason text check ((cancel_reason is null) = (cancelled_by is null))`
  yield* sql`create index withdrawal_refused on withdrawal (refused_at) where refused_at is not null`
})
