/** Many rows of one table in one statement. */
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

export interface Column<Row> {
  readonly name: string
  readonly type: keyof typeof elements
  readonly of: (row: Row) => string | number | bigint | boolean | null
}

/** Rows on their way into a table. */
export interface Batch {
  readonly rows: number
  /** Its parameters are `$first` and those after it; `where` and `on conflict` may follow. */
  readonly insert: (first: number) => string
  /** The end of the statement. */
  readonly conflict: string
  /** They hold the rows from `start` to before `end`. */
  readonly parameters: (start: number, end: number) => ReadonlyArray<unknown>
}

export const batch = <Row>(
  table: string,
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  conflict = ""
): Batch => ({
  rows: rows.length,
  insert: (first) => {
    const names = columns.map(({ name }) => name).join(", ")
    const arrays = columns.map(({ type }, index) => `$${first + index}::${type}[]`).join(", ")
    return `insert into ${table} (${names}) select u.* from unnest(${arrays}) u`
  },
  conflict,
  parameters: (start, end) => {
    const page = start === 0 && end >= rows.length ? rows : rows.slice(start, end)
    return columns.map(({ of, type }) => {
      const { convert, oid } = elements[type]
      return Result.getOrThrow(
        PgTypes.array(
          page.map((row) => convert(of(row) as never)),
          oid
        )
      )
    })
  }
})

/** Postgres has no zero character in a text; what a client wrote must not stop a projection or fail a read. */
export const storable = (value: string): string => (value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value)

const elements = {
  text: { oid: PgTypes.OID.text, convert: storable },
  bigint: { oid: PgTypes.OID.int8, convert: (value: number | bigint) => BigInt(value) },
  numeric: { oid: PgTypes.OID.numeric, convert: (value: bigint) => String(value) },
  integer: { oid: PgTypes.OID.int4, convert: (value: number) => value },
  float8: { oid: PgTypes.OID.float8, convert: (value: number | null) => value },
  boolean: { oid: PgTypes.OID.bool, convert: (value: boolean) => value }
}
