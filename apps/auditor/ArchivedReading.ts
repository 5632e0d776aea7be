/** The auditor's queries over the whole journal: archived rows come from the archive files, other rows from the table. */
import { Context, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as ArchivedRows from "../archive/ArchivedRows.ts"
import { journalHashOf } from "./Books.ts"
import * as Reading from "./Reading.ts"

/** Directory of the archive files; empty if none is set. */
export const ArchivePlace = Context.Reference<string>("@venue/auditor/ArchivePlace", { defaultValue: () => "" })

export const make = (sql: SqlClient.SqlClient): Effect.Effect<Reading.Reading> =>
  Effect.map(ArchivePlace, (directory) => over(Reading.make(sql), ArchivedRows.make(sql, directory)))

/** An archive that cannot be read ends the program, because the journal is incomplete without it. */
const over = (reading: Reading.Reading, archive: ArchivedRows.ArchivedRows): Reading.Reading => {
  const after = (stream: string, seq: number, limit: number) =>
    archive
      .after(stream, seq, limit)
      .pipe(Effect.catchTag(["ArchiveUnknown", "ArchiveUnusable"], (fault) => Effect.die(fault)))

  return {
    ...reading,
    begin: Effect.andThen(reading.begin, archive.refresh),
    rows: Effect.fnUntraced(function* (of, limit) {
      const early = of.filter(({ after, name }) => after < archive.lastOf(name))
      if (early.length === 0) return yield* reading.rows(of, limit)
      const archived = yield* Effect.forEach(early, ({ after: seq, name }) => after(name, seq, limit))
      const short = archived.flatMap((rows, place) =>
        rows.length === limit ? [] : [{ name: early[place]!.name, after: archive.lastOf(early[place]!.name) }]
      )
      const rest = yield* reading.rows([...of.filter((from) => !early.includes(from)), ...short], limit)
      const counts = new Map(archived.map((rows, place) => [early[place]!.name, rows.length]))
      const kept = rest.filter(({ stream }) => {
        const count = (counts.get(stream) ?? 0) + 1
        counts.set(stream, count)
        return count <= limit
      })
      return [...archived.flat(), ...kept]
    }),
    rowsAt: Effect.fnUntraced(function* (places) {
      const archived = places.filter(({ seq, stream }) => seq <= archive.lastOf(stream))
      const found = yield* Effect.forEach(archived, ({ seq, stream }) => after(stream, seq - 1, 1))
      const rest = yield* reading.rowsAt(places.filter((place) => !archived.includes(place)))
      return [...found.flat(), ...rest].toSorted((a, b) => order(a.stream, b.stream) || a.seq - b.seq)
    }),
    rangeHashes: Effect.fnUntraced(function* (table, of) {
      if (table !== "journal") return yield* reading.rangeHashes(table, of)
      const rest = of.map((range) => ({ ...range, first: Math.max(range.first, archive.lastOf(range.name) + 1) }))
      const hashes = yield* reading.rangeHashes(table, rest)
      return yield* Effect.forEach(of, ({ first, last, name }, place) =>
        Effect.gen(function* () {
          let { count, hash } = hashes[place]!
          const end = Math.min(last, archive.lastOf(name))
          for (const row of end < first ? [] : yield* after(name, first - 1, end - first + 1)) {
            count++
            hash ^= journalHashOf(row)
          }
          return { count, hash }
        })
      )
    })
  }
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
