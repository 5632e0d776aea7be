/**
 * Moves old journal rows to archive files while the venue runs. A file is written and verified before its rows are
 * deleted; every step can be repeated after an interruption.
 */
import { initialInstruments } from "@venue/domain/Instrument"
import { advisoryLocks } from "@venue/postgres/AdvisoryLocks"
import * as Projections from "@venue/storage/history/Projections"
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as ArchiveDirectory from "./ArchiveDirectory.ts"
import * as ArchiveFile from "./ArchiveFile.ts"
import * as ArchiveTable from "./ArchiveTable.ts"
import { values } from "./ArchiveTable.ts"
import * as OldRows from "./OldRows.ts"

export interface ArchiveOptions {
  readonly directory: string
  readonly olderThanMillis: number
}

export interface Archived {
  readonly files: number
  readonly rows: number
  readonly bytes: number
}

/** Another archiver works on this database. */
export class ArchiverRuns extends Schema.TaggedError<ArchiverRuns>()("ArchiverRuns", {}) {
  override get message() {
    return "another archiver is running on this database: wait until it has finished"
  }
}

/** Runs alone: holds a session lock until the scope closes. */
export const lock = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const connection = yield* sql.reserve
  const [row] = yield* connection.executeValues(`select pg_try_advisory_lock(${advisoryLocks.archive})`, [])
  if (row?.[0] !== true) return yield* new ArchiverRuns()
  yield* Effect.addFinalizer(() =>
    Effect.ignore(connection.executeValues(`select pg_advisory_unlock(${advisoryLocks.archive})`, []))
  )
})

/** Archives every row that no node needs and that is older than the limit. */
export const run = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { directory, olderThanMillis }: ArchiveOptions
) {
  const beforeMillis = (yield* Clock.currentTimeMillis) - olderThanMillis
  for (const range of yield* ArchiveTable.all(sql)) {
    if (range.isDeleted) continue
    yield* ArchiveDirectory.read(directory, range, range.digest)
    yield* deleteRows(sql, range)
  }
  const archived = { files: 0, rows: 0, bytes: 0 }
  for (const candidate of yield* candidates(sql)) {
    let after = candidate.archived
    for (;;) {
      const rows = yield* OldRows.read(sql, { ...candidate, after, beforeMillis })
      if (rows.length === 0) break
      const range = { stream: candidate.stream, first: after + 1, last: rows.at(-1)!.seq }
      archived.bytes += yield* store(sql, directory, range, rows)
      yield* deleteRows(sql, range)
      archived.files++
      archived.rows += rows.length
      after = range.last
    }
  }
  return archived satisfies Archived
})

/** Writes the file, reads it back and compares it, and then records it. Returns its size in bytes. */
const store = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  directory: string,
  range: ArchiveFile.RowRange,
  rows: ReadonlyArray<ArchiveFile.ArchivedRow>
) {
  const bytes = ArchiveFile.encode(range, rows)
  const digest = ArchiveFile.digestOf(bytes)
  const name = ArchiveFile.nameOf(range)
  yield* ArchiveDirectory.write(directory, name, bytes)
  const stored = yield* ArchiveDirectory.read(directory, range, digest)
  const isSame = stored.every(({ epoch, events, recordedAtMicros, seq }, place) => {
    const row = rows[place]!
    return (
      seq === row.seq &&
      epoch === row.epoch &&
      recordedAtMicros === row.recordedAtMicros &&
      Buffer.compare(events, row.events) === 0
    )
  })
  if (!isSame) return yield* new ArchiveDirectory.ArchiveUnusable({ file: name, why: "it differs from the journal" })
  yield* ArchiveTable.add(sql, { ...range, digest })
  return bytes.length
})

/** Deletes a recorded range in small transactions, so that no lock is held for long. */
const deleteRows = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, range: ArchiveFile.RowRange) {
  for (let first = range.first; first <= range.last; first += rowsAtOnce) {
    const last = Math.min(range.last, first + rowsAtOnce - 1)
    yield* values(sql, "delete from journal where stream = $1 and seq between $2 and $3", [
      range.stream,
      BigInt(first),
      BigInt(last)
    ])
  }
  yield* ArchiveTable.setDeleted(sql, range, true)
})

/** Puts a stream's archived rows back into the journal, newest file first. Returns the number of rows. */
export const restore = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, directory: string, stream: string) {
  let count = 0
  const ranges = (yield* ArchiveTable.all(sql)).filter((range) => range.stream === stream)
  for (const range of ranges.toReversed()) {
    const rows = yield* ArchiveDirectory.read(directory, range, range.digest)
    // After an interruption, the next run of the archiver deletes the rows that are back already.
    yield* ArchiveTable.setDeleted(sql, range, false)
    for (let end = rows.length; end > 0; end -= rowsAtOnce) {
      yield* insertRows(sql, stream, rows.slice(Math.max(0, end - rowsAtOnce), end))
    }
    yield* ArchiveTable.remove(sql, range)
    count += rows.length
  }
  return count
})

const insertRows = (sql: SqlClient.SqlClient, stream: string, rows: ReadonlyArray<ArchiveFile.ArchivedRow>) =>
  values(sql, insert, [
    stream,
    rows.map(({ seq }) => BigInt(seq)),
    rows.map(({ epoch }) => epoch),
    rows.map(({ recordedAtMicros }) => recordedAtMicros),
    rows.map(({ events }) => events)
  ])

/** Without a transaction id, because the auditor has read these rows. */
const insert = `
  insert into journal (stream, seq, epoch, recorded_at, events, transaction_id)
  select $1::text, r.seq, r.epoch, 'epoch'::timestamptz + r.at * interval '1 microsecond', r.events, null
  from unnest($2::bigint[], $3::integer[], $4::bigint[], $5::bytea[]) as r (seq, epoch, at, events)
  on conflict do nothing`

/** Stream with at least one block of rows that no node needs. */
interface Candidate {
  readonly stream: string
  /** Last archived row. */
  readonly archived: number
  /** Last row that no node needs: before the newest snapshot, and in all tables for queries. */
  readonly last: number
}

const candidates = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<ReadonlyArray<Candidate>, SqlError> {
  const kinds = [
    ["market/", "market0", Projections.ofMarket(initialInstruments[0]!)],
    ["trader/", "trader0", Projections.ofTraders]
  ] as const
  const found = yield* Effect.forEach(kinds, ([from, to, projections]) =>
    values(sql, needed, [from, to, projections.map(({ group }) => group), OldRows.blockRows])
  )
  return found.flat().map(([stream, archived, last]) => ({
    stream: String(stream),
    archived: Number(archived),
    last: Number(last)
  }))
})

/** A group without a position needs every row. The row of the snapshot remains, because a claim reads its epoch. */
const needed = `
  select * from (
    select s.stream,
      coalesce((select max(a.last_row) from journal_archive a where a.stream = s.stream), 0) as archived,
      least(s.seq - 1, (
        select min(coalesce(p.seq, 0)) from unnest($3::text[]) g left join projection p on p.position = g || ':' || s.stream
      )) as last
    from snapshot s where s.stream >= $1 and s.stream < $2
  ) c where last - archived >= $4::bigint order by stream`

/** Rows of one transaction. */
const rowsAtOnce = 1_000
