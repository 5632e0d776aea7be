/** Reads archived journal rows. Keeps the rows of the files that were read last. */
import type { Row } from "@venue/journal/Journal"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as ArchiveDirectory from "./ArchiveDirectory.ts"
import type { ArchivedRow } from "./ArchiveFile.ts"
import * as ArchiveTable from "./ArchiveTable.ts"

/** Archived rows are wanted, and no directory is set. */
export class ArchiveUnknown extends Schema.TaggedError<ArchiveUnknown>()("ArchiveUnknown", {
  stream: Schema.String,
  last: Schema.Number
}) {
  override get message() {
    return `rows of ${this.stream} up to ${this.last} are archived: set VENUE_ARCHIVE_DIR to the directory of the archive files`
  }
}

type Fault = SqlError | ArchiveUnknown | ArchiveDirectory.ArchiveUnusable

export interface ArchivedRows {
  /** Reads the list of archived ranges again if it has changed. */
  readonly refresh: Effect.Effect<void, SqlError>
  /** Returns the last archived row of a stream, or 0. */
  readonly lastOf: (stream: string) => number
  /** Returns at most `limit` rows after `after`, all of them archived. */
  readonly after: (stream: string, after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, Fault>
}

export const make = (sql: SqlClient.SqlClient, directory: string): ArchivedRows => {
  let version = ""
  let ranges = new Map<string, ReadonlyArray<ArchiveTable.ArchivedRange>>()
  const read = new Map<ArchiveTable.ArchivedRange, ReadonlyArray<ArchivedRow>>()

  const rowsOf = Effect.fnUntraced(function* (range: ArchiveTable.ArchivedRange) {
    const { last, stream } = range
    if (directory === "") return yield* new ArchiveUnknown({ stream, last })
    const rows = read.get(range) ?? (yield* ArchiveDirectory.read(directory, range, range.digest))
    // Moves the file to the end of the list of recent files.
    read.delete(range)
    read.set(range, rows)
    for (const oldest of read.keys()) if (read.size > mostFiles) read.delete(oldest)
    return rows
  })

  return {
    refresh: Effect.gen(function* () {
      const now = yield* ArchiveTable.version(sql)
      if (now === version) return
      ranges = Map.groupBy(yield* ArchiveTable.all(sql), ({ stream }) => stream)
      read.clear()
      version = now
    }),
    lastOf: (stream) => ranges.get(stream)?.at(-1)?.last ?? 0,
    after: Effect.fnUntraced(function* (stream: string, after: number, limit: number) {
      const found: Array<Row> = []
      const of = ranges.get(stream) ?? []
      for (let place = placeOf(of, after + 1); place < of.length && found.length < limit; place++) {
        const range = of[place]!
        const rows = yield* rowsOf(range)
        const start = Math.max(0, after + 1 - range.first)
        for (const { epoch, events, seq } of rows.slice(start, start + limit - found.length)) {
          found.push({ stream, seq, epoch, events })
        }
      }
      return found
    })
  }
}

/** Returns the place of the first range that ends at or after a row. */
const placeOf = (ranges: ReadonlyArray<ArchiveTable.ArchivedRange>, seq: number): number => {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ranges[middle]!.last < seq) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Number of files whose rows are kept, each usually of at most 16 MiB. A full pass reads all markets in turn, so there
 * are as many as a venue usually has markets.
 */
const mostFiles = 32
