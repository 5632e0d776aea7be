/** Lists of an account's history. A list can be read page by page, newest first, or as a whole in parts. */
import * as Count from "@venue/postgres/Count"
import { type Page, pageOf } from "@venue/postgres/Page"
import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as ReadTable from "./ReadTable.ts"
import { type Listing, partOf, type RowOrder } from "./RowOrder.ts"

/** `View` is a row with computed fields added. */
interface Source<Filter, Row, View extends Row> {
  /** Name of the table to which the condition `wanted` refers. */
  readonly table: string
  readonly order: RowOrder<Row>
  readonly wanted: (sql: SqlClient.SqlClient, filter: Filter) => Fragment
  /** In-memory equivalent of the SQL condition `wanted`. */
  readonly isWanted: (filter: Filter) => (row: Row) => boolean
  readonly select: (sql: SqlClient.SqlClient, chosen: Chosen) => Effect.Effect<ReadonlyArray<View>, SqlError>
  readonly rowsIn: (memory: ReadTable.Memory) => ReadonlyArray<Row>
  readonly viewsIn: (memory: ReadTable.Memory, rows: ReadonlyArray<Row>) => ReadonlyArray<View>
}

/** A statement's SQL clauses that select, order and limit its rows. */
export interface Chosen {
  readonly where: Fragment
  readonly orderBy: Fragment
  readonly limit: Fragment
}

export interface HistoryList<Filter, View> {
  readonly page: (query: Filter & Page) => ReadTable.ReadQuery<ReadonlyArray<View>>
  readonly listing: (filter: Filter) => Listing<View>
  /** Returns the number of rows that match the filter, at most `maxCount`. */
  readonly count: (filter: Filter) => ReadTable.ReadQuery<number>
}

export const make = <Filter, Row, View extends Row>({
  isWanted,
  order,
  rowsIn,
  select,
  table,
  viewsIn,
  wanted
}: Source<Filter, Row, View>): HistoryList<Filter, View> => {
  const rowsOf = (memory: ReadTable.Memory, filter: Filter) => rowsIn(memory).filter(isWanted(filter))
  const page = (query: Filter & Page): ReadTable.ReadQuery<ReadonlyArray<View>> => {
    const { limit, offset } = pageOf(query)
    return {
      sql: (sql) =>
        select(sql, {
          where: wanted(sql, query),
          orderBy: sql.literal(order.newestFirst),
          limit: sql`limit ${limit} offset ${offset}`
        }),
      memory: (memory) =>
        viewsIn(
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
        memory: (memory) => viewsIn(memory, partOf<Row>(rowsOf(memory, filter), order, part))
      })
    })
  }
}
