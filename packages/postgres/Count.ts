/** Counts of rows in long lists. Counting stops at `maxCount` rows, which bounds its cost. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "./Page.ts"
import * as Table from "./Table.ts"

/** Maximum count, which is also returned for longer lists. */
export const maxCount = 10_000

const counts = Table.selection({ count: { schema: Schema.Number, expression: "count(*)::float8" } })

/** Counts rows up to `maxCount`. `rows` is a query that starts with its `from` clause. */
export const ofRows = (sql: SqlClient.SqlClient, rows: Fragment): Effect.Effect<number, SqlError> =>
  Effect.map(
    counts.all(sql`select ${counts.columns} from (select 1 ${rows} limit ${maxCount}) counted`.unprepared),
    ([row]) => row!.count
  )

/** Counts in-memory rows up to `maxCount`. */
export const ofMemory = (rows: ReadonlyArray<unknown>): number => Math.min(rows.length, maxCount)

/**
 * Returns the list's number of rows, up to `maxCount`. Runs the query `counted` only if the page does not reach the
 * end of the list.
 */
export const total = <E, R>(
  { limit, offset }: Page,
  rows: number,
  counted: Effect.Effect<number, E, R>
): Effect.Effect<number, E, R> =>
  rows < limit && (rows > 0 || offset === 0) ? Effect.succeed(Math.min(offset + rows, maxCount)) : counted
