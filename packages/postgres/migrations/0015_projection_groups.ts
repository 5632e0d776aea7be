/** Each group of read tables has a position of its own in each stream; the two that there were keep theirs. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const projectionGroups = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table projection rename column stream to position`
  yield* sql`
    update projection
    set position = case when position like 'market/%' then 'trading:' else 'ledger:' end || position`
})
