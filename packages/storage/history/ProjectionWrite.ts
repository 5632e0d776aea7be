/** Rows of the read tables and the positions of their groups move together or not at all. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { bigint, text } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"

/** How far each group has come in each stream of the journal. */
export const projectionTable = Table.make("projection", { position: text, seq: bigint })

/** The rows of one stream after `before` and up to `last`, and what they write into the tables of one group. */
export interface ProjectionWrite {
  readonly position: string
  readonly before: number
  readonly last: number
  readonly batches: ReadonlyArray<Table.Batch>
}

/** One statement takes this many rows of one table; more go in several statements of one transaction. */
const maxRows = 2_000

type Positions = ReadonlySet<string>
type Writes = ReadonlyArray<ProjectionWrite>

/** Answers with the positions that moved. A group that does not stand at its `before` has nothing written. */
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

/** Two owners at once take turns at these rows, and the second finds them moved. Both take them in one order. */
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
