/** Order of a list, and reading it in consecutive parts. */
import { String } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { ReadQuery } from "./ReadTable.ts"

/** Rows after a row, or from the start, up to `last`. */
export interface Part<Row> {
  readonly after: Row | undefined
  /** Inclusive; rows added after it are excluded. */
  readonly last: Row
  readonly limit: number
}

/** List of any length that can be read entirely while rows are added. */
export interface Listing<Row> {
  /** Newest row now. */
  readonly last: ReadQuery<Row | undefined>
  /** Oldest first. */
  readonly part: (part: Part<Row>) => ReadQuery<ReadonlyArray<Row>>
}

/** Order by the columns of a key that is unique per account; the first column is the time. */
export interface RowOrder<Row> {
  /** Negative if the first row is older. */
  readonly compare: (a: Row, b: Row) => number
  /** Columns for `order by`. */
  readonly newestFirst: string
  readonly oldestFirst: string
  /** Condition on the rows of the part, without its limit. Comparing whole keys makes it one range of an index. */
  readonly within: (sql: SqlClient.SqlClient, part: Part<Row>) => Fragment
}

type Key<Row> = ReadonlyArray<{ [F in keyof Row]: Row[F] extends string | number ? F : never }[keyof Row] & string>

export const rowOrder = <Row>(table: string, key: Key<Row>): RowOrder<Row> => {
  const columns = key.map((field) => `${table}.${String.camelToSnake(field)}`)
  const valuesOf = (row: Row) => key.map((field) => row[field] as string | number)
  return {
    compare: (a, b) => {
      for (const field of key) {
        if (a[field] !== b[field]) return a[field] < b[field] ? -1 : 1
      }
      return 0
    },
    newestFirst: columns.map((column) => `${column} desc`).join(", "),
    oldestFirst: columns.join(", "),
    within: (sql, { after, last }) => {
      const whole = sql.literal(`(${columns.join(", ")})`)
      const keyOf = (row: Row) => sql`(${sql.csv(valuesOf(row).map((value) => sql`${value}`))})`
      const until = sql`${whole} <= ${keyOf(last)}`
      return after === undefined ? until : sql.and([sql`${whole} > ${keyOf(after)}`, until])
    }
  }
}

/** The rows of a part, from unordered rows in memory. */
export const partOf = <Row>(
  rows: ReadonlyArray<Row>,
  { compare }: RowOrder<Row>,
  { after, last, limit }: Part<Row>
): ReadonlyArray<Row> =>
  rows
    .filter((row) => (after === undefined || compare(row, after) > 0) && compare(row, last) <= 0)
    .sort(compare)
    .slice(0, limit)
