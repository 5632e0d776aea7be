/** The one clock that signed requests are judged by: the database's, as far as it differs from this node's. */
import { Clock, Context, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Table from "./Table.ts"

/** Milliseconds to add to this node's clock. A venue in memory has one clock and adds nothing. */
export const ServerTime = Context.Reference<{ readonly offsetMillis: () => number }>("@venue/postgres/ServerTime", {
  defaultValue: () => ({ offsetMillis: () => 0 })
})

const measureEvery = "10 seconds"

const times = Table.selection({
  now: { schema: Schema.Number, expression: "(extract(epoch from clock_timestamp()) * 1000)::float8" }
})

/** Measured at start, and again and again: a node whose clock is off or jumps refuses nobody for it. */
export const layer: Layer.Layer<never, SqlError, SqlClient.SqlClient> = Layer.effect(
  ServerTime,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let offset = 0
    const measure = Effect.gen(function* () {
      const asked = yield* Clock.currentTimeMillis
      const [row] = yield* times.all(sql`select ${times.columns}`)
      const answered = yield* Clock.currentTimeMillis
      offset = Math.round(row!.now - (asked + answered) / 2)
    })
    yield* measure
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(measure), Schedule.spaced(measureEvery)))
    return { offsetMillis: () => offset }
  })
)
