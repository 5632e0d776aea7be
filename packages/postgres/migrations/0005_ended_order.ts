/** An order tells when it changed last, no longer when it was placed; nobody read the column. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const endedOrder = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table ended_order drop column placed_at_millis`
})
