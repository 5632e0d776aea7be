/** Rows of the read tables and the position of their projection, moved together or not at all. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Batch } from "@venue/postgres/Bulk"

/** The rows of `stream` after `before` and up to `last`, and what they write. */
export interface ProjectionWrite {
  readonly stream: string
  readonly before: number
  readonly last: number
  readonly batches: ReadonlyArray<Batch>
}

/** Rows of one table in one statement; more go in several, in one transaction. */
const maxRows = 2_000

/** False when the projection does not stand at `before`: then nothing was written. */
export const writeProjection = (
  sql: SqlClient.SqlClient,
  projection: ProjectionWrite
): Effect.Effect<boolean, SqlError> => {
  const place = [projection.stream, BigInt(projection.before), BigInt(projection.last)]
  const batches = projection.batches.filter(({ rows }) => rows > 0)
  if (batches.some(({ rows }) => rows > maxRows)) return inPages(sql, place, batches)
  const inserts: Array<string> = []
  const parameters: Array<unknown> = [...place]
  batches.forEach((batch, index) => {
    const insert = batch.insert(parameters.length + 1)
    inserts.push(`, part_${index} as (${insert} where exists (select from moved) ${batch.conflict})`)
    parameters.push(...batch.parameters(0, batch.rows))
  })
  const text = `with moved as (${move})${inserts.join("")} select seq from moved`
  return Effect.map(sql.unsafe(text, parameters).values, (moved) => moved.length === 1)
}

const inPages = Effect.fnUntraced(
  function* (sql: SqlClient.SqlClient, place: ReadonlyArray<unknown>, batches: ReadonlyArray<Batch>) {
    const moved = yield* sql.unsafe(move, place).values
    if (moved.length === 0) return false
    for (const batch of batches) {
      const text = `${batch.insert(1)} ${batch.conflict}`
      for (let start = 0; start < batch.rows; start += maxRows) {
        yield* sql.unsafe(text, batch.parameters(start, start + maxRows))
      }
    }
    return true
  },
  (paging, sql) => sql.withTransaction(paging)
)

/** Two owners at once take turns at its row, and the second finds it moved. */
const move = `
  insert into projection (stream, seq)
  select $1::text, $3::bigint
  where $2::bigint = 0 or exists (select from projection p where p.stream = $1)
  on conflict (stream) do update set seq = excluded.seq where projection.seq = $2
  returning seq`
