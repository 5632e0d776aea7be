/** Read tables: columns, key, and storage in memory. */
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Batch, Table } from "@venue/postgres/Table"

export interface ReadTable<Row> {
  /** Merges rows with the same key within one write. */
  readonly write: (rows: ReadonlyArray<Row>) => TableWrite
  readonly rowsIn: (memory: Memory) => ReadonlyArray<Row>
}

/** Rows to be written into one table. */
export interface TableWrite {
  readonly batch: Batch
  readonly remember: (memory: Memory) => void
}

/** Query with the same result from the database and from memory. */
export interface ReadQuery<A> {
  readonly sql: (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError>
  readonly memory: (memory: Memory) => A
}

export const map = <A, B>({ memory, sql }: ReadQuery<A>, to: (answer: A) => B): ReadQuery<B> => ({
  sql: (client) => Effect.map(sql(client), to),
  memory: (tables) => to(memory(tables))
})

/** Returns the first row; undefined without rows. */
export const first = <Row>(rows: ReadQuery<ReadonlyArray<Row>>): ReadQuery<Row | undefined> => map(rows, ([row]) => row)

/** Returns the results of both queries from one reader. */
export const both = <A, B>(a: ReadQuery<A>, b: ReadQuery<B>): ReadQuery<readonly [A, B]> => ({
  sql: (client) => Effect.zip(a.sql(client), b.sql(client)),
  memory: (tables) => [a.memory(tables), b.memory(tables)]
})

export interface Memory {
  /** Rows of every table, by table and key, in order of first insertion. */
  readonly tables: Map<unknown, Map<string, unknown>>
  /** Position of each group in each stream, by name. */
  readonly positions: Map<string, number>
}

export const emptyMemory = (): Memory => ({ tables: new Map(), positions: new Map() })

/** Rows of a venue in memory; all services that share this layer share the rows. */
export class ReadMemory extends Context.Service<ReadMemory, Memory>()("@venue/storage/history/ReadMemory") {
  static readonly layer = Layer.sync(ReadMemory, emptyMemory)
}

interface Options<Row> {
  /** Rows with equal keys are one row. */
  readonly key: (row: Row) => string
  /**
   * Merges a rewritten row with the stored one. Without it the table is append-only, and a second row with the same
   * key is a bug.
   */
  readonly merge?: {
    readonly rows: (before: Row, next: Row) => Row
    /** `merge.rows` as an `on conflict` clause. */
    readonly conflict: string
  }
  /** Number of rows kept in memory, newest first; unlimited if omitted. */
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
