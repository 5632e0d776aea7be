/** What traders read about a venue that is halted or accepts only cancels. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const venuePublicReason = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Null where the operator gave none: `reason` is for those who run the venue alone.
  yield* sql`alter table venue_mode add column public_reason text`
})
