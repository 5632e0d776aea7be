/** Equidistant moments in the past; each is the start of a quarter-hour. */
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

/**
 * `count` is the number of moments. `step` is in quarter-hours, and `first` is in quarter-hours since 1970-01-01
 * 00:00 UTC.
 */
export interface Moments {
  readonly first: number
  readonly step: number
  readonly count: number
}

export const all = ({ count, first, step }: Moments): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, at) => first + at * step)

/** Returns the last moment or, for an empty list, the time one `step` before `first`. */
export const last = ({ count, first, step }: Moments): number => first + (count - 1) * step

/** Returns the first of the moments that is at or after the end of the given quarter-hour. */
export const knowing = ({ first, step }: Moments, quarterHour: number): number =>
  first + Math.max(0, Math.ceil((quarterHour + 1 - first) / step)) * step

/** Returns `knowing` as an SQL expression over a column. */
export const knowingColumn = (sql: SqlClient.SqlClient, { first, step }: Moments, column: string): Fragment =>
  sql`(${first}::int + greatest(0, (${sql.literal(column)} + ${step - first}::int) / ${step}::int) * ${step}::int)`

export const table = (sql: SqlClient.SqlClient, moments: Moments): Fragment =>
  sql`generate_series(${moments.first}::int, ${last(moments)}::int, ${moments.step}::int)`
