/** Moments at equal distances, at which something is asked of the past: each is the start of a quarter of an hour. */
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

/** All count quarters of an hour, from 1970. */
export interface Moments {
  readonly first: number
  readonly step: number
  readonly count: number
}

export const all = ({ count, first, step }: Moments): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, at) => first + at * step)

/** The last of them; without any, one before the first. */
export const last = ({ count, first, step }: Moments): number => first + (count - 1) * step

/** The first of them that is later than a quarter of an hour, and so knows of it. */
export const knowing = ({ first, step }: Moments, quarterHour: number): number =>
  first + Math.max(0, Math.ceil((quarterHour + 1 - first) / step)) * step

/** The same of a column. */
export const knowingColumn = (sql: SqlClient.SqlClient, { first, step }: Moments, column: string): Fragment =>
  sql`(${first}::int + greatest(0, (${sql.literal(column)} + ${step - first}::int) / ${step}::int) * ${step}::int)`

/** A table of them. */
export const table = (sql: SqlClient.SqlClient, moments: Moments): Fragment =>
  sql`generate_series(${moments.first}::int, ${last(moments)}::int, ${moments.step}::int)`
