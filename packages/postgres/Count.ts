/** How many rows a long list has: at most `maxCount` are counted, so that a count costs little however long the list is. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "./Page.ts"
import * as Table from "./Table.ts"

/** The count of a longer list is this number. */
export const maxCount = 10_000

const counts = Table.selection({ count: { schema: Schema.Number, expression: "count(*)::float8" } })

/** Counts rows up to `maxCount`; `rows` begins with `from`. */
export const ofRows = (sql: SqlClient.SqlClient, rows: Fragment): Effect.Effect<number, SqlError> =>
  Effect.map(
    counts.all(sql`select ${counts.columns} from (select 1 ${rows} limit ${maxCount}) counted`.unprepared),
    (found) => found[0]!.count
  )

/** The same of rows in memory. */
export const ofMemory = (rows: ReadonlyArray<unknown>): number => Math.min(rows.length, maxCount)

/** Returns how many rows the whole list has, at most `maxCount`. Asks `counted` only where the page does not show the end. */
export const total = <E, R>(
  { limit, offset }: Page,
  found: number,
  counted: Effect.Effect<number, E, R>
): Effect.Effect<number, E, R> =>
  found < limit && (found > 0 || offset === 0) ? Effect.succeed(Math.min(offset + found, maxCount)) : counted
