/** The chains and the bank that are made up for a development, each in one text. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const simulatedRail = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table simulated_rail (rail text collate "C" primary key, state text not null)`
})
