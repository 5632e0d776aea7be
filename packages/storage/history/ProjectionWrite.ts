/** Rows of the read tables and the position of their projection move together or not at all. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { bigint, text } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"

/** How far each stream of the journal has been projected. */
export const projectionTable = Table.make("projection", { stream: text, seq: bigint })

/** The rows of `stream` after `before` and up to `last`, and what they write. */
export interface ProjectionWrite {
  readonly stream: string
  readonly before: number
  readonly last: number
  readonly batches: ReadonlyArray<Table.Batch>
}

/** One statement takes this many rows of one table; more go in several statements of one transaction. */
const maxRows = 2_000

/** Answers with false when the projection does not stand at `before`: then nothing was written. */
export const writeProjection = (
  sql: SqlClient.SqlClient,
  projection: ProjectionWrite
): Effect.Effect<boolean, SqlError> => {
  const batches = projection.batches.filter(({ rows }) => rows > 0)
  if (batches.some(({ rows }) => rows > maxRows)) return inPages(sql, projection, batches)
  const inserts = batches.map(
    (batch, index) => sql`, ${sql.literal(`part_${index}`)} as (
      ${batch.insert(0, batch.rows)} where exists (select from moved) ${batch.conflict}
    )`
  )
  const write = sql`with moved as (${move(sql, projection)})${sql.join("", false)(inserts)} select seq from moved`
  return Effect.map(write.values, (moved) => moved.length === 1)
}

const inPages = Effect.fnUntraced(
  function* (sql: SqlClient.SqlClient, projection: ProjectionWrite, batches: ProjectionWrite["batches"]) {
    const moved = yield* move(sql, projection).values
    if (moved.length === 0) return false
    for (const batch of batches) {
      for (let start = 0; start < batch.rows; start += maxRows) {
        yield* sql`${batch.insert(start, start + maxRows)} ${batch.conflict}`
      }
    }
    return true
  },
  (paging, sql) => sql.withTransaction(paging)
)

/** Two owners at once take turns at its row, and the second finds it moved. */
const move = (sql: SqlClient.SqlClient, { before, last, stream }: ProjectionWrite) => sql`
  insert into projection (stream, seq)
  select ${stream}::text, ${BigInt(last)}::bigint
  where ${BigInt(before)}::bigint = 0 or exists (select from projection p where p.stream = ${stream})
  on conflict (stream) do update set seq = excluded.seq where projection.seq = ${BigInt(before)}
  returning seq`
