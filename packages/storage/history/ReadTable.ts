/** Tables for queries: their columns, key, and in-memory storage. */
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Batch, Table } from "@venue/postgres/Table"

export interface ReadTable<Row> {
  /** Returns a write of these rows; rows with the same key are merged. */
  readonly write: (rows: ReadonlyArray<Row>) => TableWrite
  readonly rowsIn: (memory: Memory) => ReadonlyArray<Row>
}

export interface TableWrite {
  readonly batch: Batch
  readonly remember: (memory: Memory) => void
}

/** A query that returns the same result from the database and from memory. */
export interface ReadQuery<A> {
  readonly sql: (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError>
  readonly memory: (memory: Memory) => A
}

export const map = <A, B>({ memory, sql }: ReadQuery<A>, to: (answer: A) => B): ReadQuery<B> => ({
  sql: (client) => Effect.map(sql(client), to),
  memory: (tables) => to(memory(tables))
})

/** Returns a query for the first row, or undefined if no row matches. */
export const first = <Row>(rows: ReadQuery<ReadonlyArray<Row>>): ReadQuery<Row | undefined> => map(rows, ([row]) => row)

export const both = <A, B>(a: ReadQuery<A>, b: ReadQuery<B>): ReadQuery<readonly [A, B]> => ({
  sql: (client) => Effect.zip(a.sql(client), b.sql(client)),
  memory: (tables) => [a.memory(tables), b.memory(tables)]
})

export interface Memory {
  /** Rows by table and row key, in order of first insertion. */
  readonly tables: Map<unknown, Map<string, unknown>>
  /** Each group's position in each stream, by position name. */
  readonly positions: Map<string, number>
}

export const emptyMemory = (): Memory => ({ tables: new Map(), positions: new Map() })

/** Rows of an in-memory venue, shared by all services that use this layer. */
export class ReadMemory extends Context.Service<ReadMemory, Memory>()("@venue/storage/history/ReadMemory") {
  static readonly layer = Layer.sync(ReadMemory, emptyMemory)
}

interface Options<Row> {
  /** Returns the key that identifies a row. */
  readonly key: (row: Row) => string
  /** Merges a new row with the stored one. If omitted, the table is append-only and a repeated key is a bug. */
  readonly merge?: {
    readonly rows: (before: Row, next: Row) => Row
    /** `merge.rows` as an SQL `on conflict` clause. */
    readonly conflict: string
  }
  /** Number of newest rows kept in memory; unlimited if omitted. */
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
