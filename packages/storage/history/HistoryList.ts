/** A list of what accounts did, as its table has it: a page of it, the newest first, or the whole of it in parts. */
import * as Count from "@venue/postgres/Count"
import { type Page, pageOf } from "@venue/postgres/Page"
import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as ReadTable from "./ReadTable.ts"
import { type Listing, partOf, type RowOrder } from "./RowOrder.ts"

/** `Told` is a row with what is told beside it. */
interface Source<Filter, Row, Told extends Row> {
  /** Name of the table that `wanted` is about. */
  readonly table: string
  readonly order: RowOrder<Row>
  readonly wanted: (sql: SqlClient.SqlClient, filter: Filter) => Fragment
  /** The same of rows in memory. */
  readonly isWanted: (filter: Filter) => (row: Row) => boolean
  readonly select: (sql: SqlClient.SqlClient, chosen: Chosen) => Effect.Effect<ReadonlyArray<Told>, SqlError>
  readonly rowsIn: (memory: ReadTable.Memory) => ReadonlyArray<Row>
  readonly toldIn: (memory: ReadTable.Memory, rows: ReadonlyArray<Row>) => ReadonlyArray<Told>
}

/** The rows that a statement answers with. */
export interface Chosen {
  readonly where: Fragment
  readonly orderBy: Fragment
  readonly limit: Fragment
}

export interface HistoryList<Filter, Told> {
  readonly page: (query: Filter & Page) => ReadTable.ReadQuery<ReadonlyArray<Told>>
  readonly listing: (filter: Filter) => Listing<Told>
  /** Number of all rows of the filter, at most `maxCount`. */
  readonly count: (filter: Filter) => ReadTable.ReadQuery<number>
}

export const make = <Filter, Row, Told extends Row>({
  isWanted,
  order,
  rowsIn,
  select,
  table,
  toldIn,
  wanted
}: Source<Filter, Row, Told>): HistoryList<Filter, Told> => {
  const rowsOf = (memory: ReadTable.Memory, filter: Filter) => rowsIn(memory).filter(isWanted(filter))
  const page = (query: Filter & Page): ReadTable.ReadQuery<ReadonlyArray<Told>> => {
    const { limit, offset } = pageOf(query)
    return {
      sql: (sql) =>
        select(sql, {
          where: wanted(sql, query),
          orderBy: sql.literal(order.newestFirst),
          limit: sql`limit ${limit} offset ${offset}`
        }),
      memory: (memory) =>
        toldIn(
          memory,
          rowsOf(memory, query)
            .sort((a, b) => order.compare(b, a))
            .slice(offset, offset + limit)
        )
    }
  }
  return {
    page,
    count: (filter) => ({
      sql: (sql) => Count.ofRows(sql, sql`from ${sql(table)} where ${wanted(sql, filter)}`),
      memory: (memory) => Count.ofMemory(rowsOf(memory, filter))
    }),
    listing: (filter) => ({
      last: ReadTable.first(page({ ...filter, limit: 1, offset: 0 })),
      part: (part) => ({
        sql: (sql) =>
          select(sql, {
            where: sql.and([wanted(sql, filter), order.within(sql, part)]),
            orderBy: sql.literal(order.oldestFirst),
            limit: sql`limit ${part.limit}`
          }),
        memory: (memory) => toldIn(memory, partOf<Row>(rowsOf(memory, filter), order, part))
      })
    })
  }
}
