/**
 * Selects the expected rows that the tables for queries must already have. A committed row might still wait for its
 * projection.
 */
import { Effect } from "effect"
import type * as Reading from "./Reading.ts"

export const of = <Book, Expected extends { readonly seq: number }>(
  reading: Reading.Reading,
  pending: ReadonlyArray<{
    readonly book: Book
    readonly position: string
    readonly expected: ReadonlyArray<Expected>
  }>
) =>
  Effect.map(reading.projected(pending.map(({ position }) => position)), (projected) =>
    pending.flatMap(({ book, expected, position }) => {
      const upTo = projected.get(position) ?? 0
      const last = expected.findLastIndex(({ seq }) => seq <= upTo)
      return last < 0 ? [] : [{ book, expected: expected.slice(0, last + 1) }]
    })
  )

/** Reads the journal rows of the expected values again. */
export const rowsOf = (reading: Reading.Reading, stream: string, expected: ReadonlyArray<{ readonly seq: number }>) =>
  reading.rowsAt([...new Set(expected.map(({ seq }) => seq))].map((seq) => ({ stream, seq })))
