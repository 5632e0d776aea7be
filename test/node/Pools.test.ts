/** What a node's connections are given when they are made. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Pools from "../../apps/node/Pools.ts"
import { freshDatabase } from "../Postgres.ts"

it.effect("a node that stands still in a transaction holds no lock for long", () =>
  Effect.gen(function* () {
    const pools = Pools.make({ databaseUrl: yield* freshDatabase, name: "runner-1" })
    for (const pool of Object.values(pools)) {
      const asked = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`show idle_in_transaction_session_timeout`.values)
      assert.deepStrictEqual(yield* Effect.provide(asked, pool), [["10s"]])
    }
  }).pipe(Effect.scoped)
)
