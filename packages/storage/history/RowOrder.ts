/** The order of a list, and how to read the list in consecutive parts. */
import { String } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { ReadQuery } from "./ReadTable.ts"

/** Rows after `after`, or from the start if undefined, up to and including `last`. */
export interface Part<Row> {
  readonly after: Row | undefined
  /** Last row, inclusive; later rows are excluded. */
  readonly last: Row
  readonly limit: number
}

/** A list of any length that can be read completely while rows are added. */
export interface Listing<Row> {
  /** Newest row at present. */
  readonly last: ReadQuery<Row | undefined>
  /** Returns a part's rows, oldest first. */
  readonly part: (part: Part<Row>) => ReadQuery<ReadonlyArray<Row>>
}

/** An order by key columns that are unique within an account; the first column is the time. */
export interface RowOrder<Row> {
  /** Returns a negative number if the first row is older. */
  readonly compare: (a: Row, b: Row) => number
  readonly newestFirst: string
  readonly oldestFirst: string
  /** Returns the condition for a part's rows without the limit. Compares whole keys, to read one index range. */
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

/** Returns a part's rows from unordered in-memory rows. */
export const partOf = <Row>(
  rows: ReadonlyArray<Row>,
  { compare }: RowOrder<Row>,
  { after, last, limit }: Part<Row>
): ReadonlyArray<Row> =>
  rows
    .filter((row) => (after === undefined || compare(row, after) > 0) && compare(row, last) <= 0)
    .sort(compare)
    .slice(0, limit)
