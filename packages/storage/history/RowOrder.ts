/** In which order a list is told, and how it is read in parts of which each begins where the one before it ended. */
import { String } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { ReadQuery } from "./ReadTable.ts"

/** The rows that come after one of them, or after none, up to the last that is wanted. */
export interface Part<Row> {
  readonly after: Row | undefined
  /** It comes too; rows that are added behind it do not. */
  readonly last: Row
  readonly limit: number
}

/** A list that can be read whole, however long it is, while rows are added to it. */
export interface Listing<Row> {
  /** What stands in it last by now. */
  readonly last: ReadQuery<Row | undefined>
  /** Oldest first. */
  readonly part: (part: Part<Row>) => ReadQuery<ReadonlyArray<Row>>
}

/** The columns of a key together tell each row of an account from all others; the first of them is its time. */
export interface RowOrder<Row> {
  /** Below zero when the first row is the older one. */
  readonly compare: (a: Row, b: Row) => number
  /** These stand behind `order by`. */
  readonly newestFirst: string
  readonly oldestFirst: string
  /** The rows of the part, and more where it has a limit: a comparison of whole keys is one range of an index. */
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

/** The same of rows in memory, in any order. */
export const partOf = <Row>(
  rows: ReadonlyArray<Row>,
  { compare }: RowOrder<Row>,
  { after, last, limit }: Part<Row>
): ReadonlyArray<Row> =>
  rows
    .filter((row) => (after === undefined || compare(row, after) > 0) && compare(row, last) <= 0)
    .sort(compare)
    .slice(0, limit)
