/** Assertion that a refused request changes nothing. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [counts] = yield* sql`
    select (select count(*) from venue_user) as users, (select count(*) from session) as sessions,
      (select count(*) from wallet_nonce_use) as nonces, (select count(*) from audit) as deeds`
  return counts
})

/** Asserts that the work adds no user, session, nonce or audit entry. */
export const changesNothing = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* rows
    const result = yield* work
    expect(yield* rows).toEqual(before)
    return result
  })
