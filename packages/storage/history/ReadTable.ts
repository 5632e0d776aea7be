/** A read table: its columns, which rows are the same row, and how it is kept where there is no database. */
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Batch, Table } from "@venue/postgres/Table"

export interface ReadTable<Row> {
  /** Rows of one write that are the same row become one before they are written. */
  readonly write: (rows: ReadonlyArray<Row>) => TableWrite
  readonly rowsIn: (memory: Memory) => ReadonlyArray<Row>
}

/** Rows on their way into one table. */
export interface TableWrite {
  readonly batch: Batch
  readonly remember: (memory: Memory) => void
}

/** What is read, from the database or from memory: both answer the same. */
export interface ReadQuery<A> {
  readonly sql: (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError>
  readonly memory: (memory: Memory) => A
}

export const map = <A, B>({ memory, sql }: ReadQuery<A>, to: (answer: A) => B): ReadQuery<B> => ({
  sql: (client) => Effect.map(sql(client), to),
  memory: (tables) => to(memory(tables))
})

/** The first of the rows, if there are any. */
export const first = <Row>(rows: ReadQuery<ReadonlyArray<Row>>): ReadQuery<Row | undefined> => map(rows, ([row]) => row)

/** Both answers, of one reader. */
export const both = <A, B>(one: ReadQuery<A>, other: ReadQuery<B>): ReadQuery<readonly [A, B]> => ({
  sql: (client) => Effect.zip(one.sql(client), other.sql(client)),
  memory: (tables) => [one.memory(tables), other.memory(tables)]
})

export interface Memory {
  /** The rows of every table, by table and key, in the order they were first written. */
  readonly tables: Map<unknown, Map<string, unknown>>
  /** How far each group has come in each stream, by the name of its position. */
  readonly positions: Map<string, number>
}

export const emptyMemory = (): Memory => ({ tables: new Map(), positions: new Map() })

/** Shared as one value, all of one venue have the same rows. */
export class ReadMemory extends Context.Service<ReadMemory, Memory>()("@venue/storage/history/ReadMemory") {
  static readonly layer = Layer.sync(ReadMemory, emptyMemory)
}

interface Options<Row> {
  /** Rows with one key are one row. */
  readonly key: (row: Row) => string
  /** What becomes of a row that is written again; without this a row is only ever added, and a second one is a fault. */
  readonly merge?: {
    readonly rows: (before: Row, next: Row) => Row
    /** The same as an `on conflict` clause. */
    readonly conflict: string
  }
  /** In memory the oldest rows beyond this are forgotten; without it all are kept. */
  readonly maxInMemory?: number
}

export const make = <Row>(
  columns: Table<Row>,
  { key, maxInMemory = Infinity, merge }: Options<Row>
): ReadTable<Row> => {
  const put = (into: Map<string, Row>, row: Row) => {
    const at = key(row)
    const before = into.get(at)
    if (before !== undefined && merge === undefined) throw new Error(`a row of a read table was written twice: ${at}`)
    into.set(at, before === undefined || merge === undefined ? row : merge.rows(before, row))
  }
  const rowsOf = ({ tables }: Memory): Map<string, Row> => {
    const known = tables.get(columns)
    const rows = (known ?? new Map()) as Map<string, Row>
    if (known === undefined) tables.set(columns, rows)
    return rows
  }
  const together = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
    if (merge === undefined) return rows
    const merged = new Map<string, Row>()
    for (const row of rows) put(merged, row)
    return [...merged.values()]
  }
  return {
    write: (rows) => {
      const merged = together(rows)
      return {
        batch: columns.batch(merged, merge?.conflict),
        remember: (memory) => {
          const into = rowsOf(memory)
          for (const row of merged) put(into, row)
          for (const at of into.keys()) {
            if (into.size <= maxInMemory) break
            into.delete(at)
          }
        }
      }
    },
    rowsIn: (memory) => [...rowsOf(memory).values()]
  }
}
