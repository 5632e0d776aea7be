/** Equidistant moments of the past; each is the start of a quarter of an hour. */
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

/** All fields are in quarters of an hour, since 1970. */
export interface Moments {
  readonly first: number
  readonly step: number
  readonly count: number
}

export const all = ({ count, first, step }: Moments): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, at) => first + at * step)

/** Last moment; one step before the first for an empty list. */
export const last = ({ count, first, step }: Moments): number => first + (count - 1) * step

/** First moment that includes a given quarter of an hour: the first one after it. */
export const knowing = ({ first, step }: Moments, quarterHour: number): number =>
  first + Math.max(0, Math.ceil((quarterHour + 1 - first) / step)) * step

/** `knowing` as an expression over a column. */
export const knowingColumn = (sql: SqlClient.SqlClient, { first, step }: Moments, column: string): Fragment =>
  sql`(${first}::int + greatest(0, (${sql.literal(column)} + ${step - first}::int) / ${step}::int) * ${step}::int)`

/** Moments as a table expression. */
export const table = (sql: SqlClient.SqlClient, moments: Moments): Fragment =>
  sql`generate_series(${moments.first}::int, ${last(moments)}::int, ${moments.step}::int)`
