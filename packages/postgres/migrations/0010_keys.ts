/** What an owner sees of their API keys and where a key may be used from. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const keys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    alter table api_key
      add allowed_addresses text[] not null default '{}',
      add builder_user_id text collate "C" references venue_user,
      add last_used_at timestamptz,
      add last_failed_at timestamptz`

  // Whatever happens at once, a builder never has two keys of one user.
  yield* sql`
    create unique index api_key_of_builder on api_key (user_id, builder_user_id)
    where builder_user_id is not null and revoked_at is null`
})
