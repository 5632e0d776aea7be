/** Many rows of one table in one statement. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

export interface Column<Row> {
  readonly name: string
  readonly type: keyof typeof elements
  readonly of: (row: Row) => string | number | bigint | boolean | null
}

/** A larger insert goes in several statements of this many rows. */
const maxRows = 2_000

/** Inserts nothing if there are no rows. `conflict` is the end of the statement. */
export const insert = <Row>(
  sql: SqlClient.SqlClient,
  table: string,
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  conflict = ""
): Effect.Effect<void, SqlError> => {
  const names = columns.map(({ name }) => name).join(", ")
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(", ")
  const text = `insert into ${table} (${names}) select * from unnest(${arrays}) ${conflict}`
  const starts = Array.from({ length: Math.ceil(rows.length / maxRows) }, (_, page) => page * maxRows)
  return Effect.forEach(
    starts,
    (start) => {
      const page = rows.slice(start, start + maxRows)
      const parameters = columns.map(({ of, type }) => {
        const { convert, oid } = elements[type]
        return Result.getOrThrow(
          PgTypes.array(
            page.map((row) => convert(of(row) as never)),
            oid
          )
        )
      })
      return sql.unsafe(text, parameters)
    },
    { discard: true }
  )
}

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
