/** How fresh a sign-in an application asks for, and whether its user is to be asked although they were before. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const freshSignIn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    alter table authorization_request
      add column max_age_seconds integer,
      add column prompts_consent boolean not null default false`
})
