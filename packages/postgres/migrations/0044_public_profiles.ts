/** Index of the users who chose to be public, for the leaderboard. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const publicProfiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create index profile_public on profile (user_id) where is_public`
})
