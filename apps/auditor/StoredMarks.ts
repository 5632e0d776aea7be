/** Stores complete marks for later reads and for the auditor's next start, which reads all rows again. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Books, Tables } from "./Books.ts"
import * as Faults from "./Faults.ts"
import type * as Reading from "./Reading.ts"

/**
 * Stores the complete marks. A stored mark with a different count or hash is a fault, because its rows have changed
 * since the first read. A stored mark that ends at a different row was dropped before it was full and cannot be
 * compared.
 */
export const store = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { complete, faults }: Books,
  reading: Reading.Reading
): Effect.fn.Return<void, SqlError> {
  while (complete.length > 0) {
    const marks = complete.slice(0, marksAtOnce)
    const wrong = (yield* sql.unsafe(stored, [
      marks.map(({ table }) => table),
      marks.map(({ name }) => name),
      marks.map(({ first }) => BigInt(first)),
      marks.map(({ last }) => BigInt(last)),
      marks.map(({ count }) => count),
      marks.map(({ hash }) => String(hash))
    ]).valuesUnprepared) as ReadonlyArray<ReadonlyArray<unknown>>
    for (const [table, name, first] of wrong) {
      const place = { table: table as Tables, name: String(name), first: Number(first) }
      Faults.record(faults, `${table} ${name} ${first}, stored`, changed, secondRead(reading, place))
    }
    complete.splice(0, marks.length)
  }
})

const secondRead = (reading: Reading.Reading, place: Reading.MarkPlace): Faults.SecondRead =>
  Effect.gen(function* () {
    const mark = yield* reading.storedMark(place)
    if (mark === undefined) return undefined
    const [current] = yield* reading.rangeHashes(mark.table, [mark])
    return current!.count === mark.count && current!.hash === mark.hash ? undefined : changed
  })

const changed = "the rows have changed since they were first read"

const stored = `
  with complete as (
    select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::integer[], $6::text[]::bigint[])
      as t (of_table, name, first_row, last_row, count, hash)
  ), added as (
    insert into audit_mark (of_table, name, first_row, last_row, count, hash)
    select * from complete on conflict do nothing
  )
  select t.of_table, t.name, t.first_row from complete t join audit_mark m using (of_table, name, first_row)
  where m.last_row = t.last_row and (m.count <> t.count or m.hash <> t.hash)`

const marksAtOnce = 1_000
