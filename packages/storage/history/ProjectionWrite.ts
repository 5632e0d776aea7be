/** Statements that write tables for queries and move the groups' positions in one transaction. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { bigint, text } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"

/** Each group's position in each journal stream. */
export const projectionTable = Table.make("projection", { position: text, seq: bigint })

/** A stream's rows after `before` up to and including `last`, as writes into one group's tables. */
export interface ProjectionWrite {
  readonly position: string
  readonly before: number
  readonly last: number
  readonly batches: ReadonlyArray<Table.Batch>
}

/** Maximum number of rows of one table in a statement; a transaction uses several statements if needed. */
const maxRows = 2_000

type Positions = ReadonlySet<string>
type Writes = ReadonlyArray<ProjectionWrite>

/** Writes the rows and returns the positions that moved. Skips groups whose stored position differs from `before`. */
export const writeProjections = (sql: SqlClient.SqlClient, writes: Writes): Effect.Effect<Positions, SqlError> => {
  const inserts = writes.flatMap(({ batches, position }) =>
    batches.filter(({ rows }) => rows > 0).map((batch) => ({ batch, position }))
  )
  if (inserts.some(({ batch }) => batch.rows > maxRows)) return inPages(sql, writes)
  const parts = inserts.map(
    ({ batch, position }, index) => sql`, ${sql.literal(`part_${index}`)} as (
      ${batch.insert(0, batch.rows)} where exists (select from moved where moved.position = ${position})
      ${batch.conflict}
    )`
  )
  const write = sql`with moved as (${move(sql, writes)})${sql.join("", false)(parts)} select position from moved`
  return Effect.map(write.values, positions)
}

const inPages = Effect.fnUntraced(
  function* (sql: SqlClient.SqlClient, writes: Writes) {
    const moved = positions(yield* move(sql, writes).values)
    for (const { batches, position } of writes) {
      if (!moved.has(position)) continue
      for (const batch of batches) {
        for (let start = 0; start < batch.rows; start += maxRows) {
          yield* sql`${batch.insert(start, start + maxRows)} ${batch.conflict}`
        }
      }
    }
    return moved
  },
  (paging, sql) => sql.withTransaction(paging)
)

const positions = (rows: ReadonlyArray<ReadonlyArray<unknown>>): Positions =>
  new Set(rows.map(([position]) => String(position)))

/**
 * If two owners write concurrently, the second waits and sees the moved positions. Both owners lock the positions in
 * the same order.
 */
const move = (sql: SqlClient.SqlClient, writes: Writes) => {
  const wanted = sql.join(
    " union all ",
    false
  )(
    writes.map(
      ({ before, last, position }) =>
        sql`select ${position}::text as position, ${BigInt(before)}::bigint as before, ${BigInt(last)}::bigint as last`
    )
  )
  return sql`
    insert into projection (position, seq)
    select w.position, w.last from (${wanted}) w
    where w.before = 0 or exists (select from projection p where p.position = w.position)
    on conflict (position) do update set seq = excluded.seq
      where projection.seq = (select w.before from (${wanted}) w where w.position = excluded.position)
    returning position`
}
