/** The table `journal_archive`: every archived range with its file's digest. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { RowRange } from "./ArchiveFile.ts"

export interface ArchivedRange extends RowRange {
  readonly digest: Uint8Array
  /** Whether all rows have been deleted from the journal. */
  readonly isDeleted: boolean
}

type Values = ReadonlyArray<ReadonlyArray<unknown>>

export const values = (sql: SqlClient.SqlClient, text: string, parameters: ReadonlyArray<unknown> = []) =>
  sql.unsafe(text, parameters).valuesUnprepared as Effect.Effect<Values, SqlError>

/** Returns every archived range, by stream and row. */
export const all = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<ArchivedRange>, SqlError> =>
  Effect.map(
    values(
      sql,
      "select stream, first_row, last_row, digest, deleted_at is not null from journal_archive order by stream, first_row"
    ),
    (rows) =>
      rows.map(([stream, first, last, digest, isDeleted]) => ({
        stream: String(stream),
        first: Number(first),
        last: Number(last),
        digest: digest as Uint8Array,
        isDeleted: isDeleted === true
      }))
  )

/** Returns a text that changes whenever a range is added or removed. */
export const version = (sql: SqlClient.SqlClient): Effect.Effect<string, SqlError> =>
  Effect.map(values(sql, "select concat_ws(' ', count(*), max(number)) from journal_archive"), ([row]) =>
    String(row![0])
  )

export const add = (sql: SqlClient.SqlClient, { digest, first, last, stream }: Omit<ArchivedRange, "isDeleted">) =>
  values(sql, "insert into journal_archive (stream, first_row, last_row, digest) values ($1, $2, $3, $4)", [
    stream,
    BigInt(first),
    BigInt(last),
    digest
  ])

/** Records whether all rows of the range are deleted from the journal. */
export const setDeleted = (sql: SqlClient.SqlClient, { first, stream }: RowRange, isDeleted: boolean) =>
  values(
    sql,
    "update journal_archive set deleted_at = case when $3 then clock_timestamp() end where stream = $1 and first_row = $2",
    [stream, BigInt(first), isDeleted]
  )

export const remove = (sql: SqlClient.SqlClient, { first, stream }: RowRange) =>
  values(sql, "delete from journal_archive where stream = $1 and first_row = $2", [stream, BigInt(first)])
