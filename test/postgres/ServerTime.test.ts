/** Requests are judged by the clock of the database, whatever the node's own says. */
import { assert, it } from "@effect/vitest"
import { ServerTime, layer } from "@venue/postgres/ServerTime"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { postgresLayer } from "../Postgres.ts"

it.live("I37: a node whose clock is half an hour off still knows the server's time", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const real = yield* Clock.Clock
    const off: Clock.Clock = Object.create(real, {
      currentTimeMillis: { value: Effect.sync(() => real.currentTimeMillisUnsafe() - 1_800_000) }
    })
    const { offsetMillis } = yield* Effect.provide(ServerTime, layer).pipe(Effect.provideService(Clock.Clock, off))
    const [now] = yield* sql<{ readonly millis: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as millis`
    const judged = real.currentTimeMillisUnsafe() - 1_800_000 + offsetMillis()
    assert.isAtMost(Math.abs(judged - now!.millis), 2_000)
  }).pipe(Effect.provide(postgresLayer))
)
