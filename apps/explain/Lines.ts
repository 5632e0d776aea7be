/** Lines about an account from one stream of the journal, in the order of its rows and read in pages. */
import type { Row } from "@venue/journal/Journal"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type * as Reading from "../auditor/Reading.ts"

/** Change to the account's balance. */
export interface Line {
  readonly atMillis: number
  readonly stream: string
  readonly seq: number
  /** Group of the line in the totals. */
  readonly kind: string
  /** Signed amount, in 1e-6 USD. */
  readonly amount: bigint
  readonly what: string
}

/** Result of comparing another source with the journal; `difference` is absent if they agree. */
export interface Comparison {
  readonly what: string
  readonly difference?: string
}

/** A stream's lines, and the comparisons that were made while reading them. */
export interface Lines {
  /** Reads the next line, or returns undefined after the last line. */
  readonly next: Effect.Effect<Line | undefined, SqlError>
  /** Comparisons of other sources with the journal, complete after the last line. */
  readonly comparisons: () => ReadonlyArray<Comparison>
}

/** Returns a reader of lines. `linesOf` converts a page of rows, and `isLast` marks the last page. */
export const make = (
  reading: Reading.Reading,
  stream: string,
  linesOf: (rows: ReadonlyArray<Row>, isLast: boolean) => Effect.Effect<ReadonlyArray<Line>, SqlError>
): Lines["next"] => {
  let waiting: Array<Line> = []
  let after = 0
  let isOver = false
  return Effect.gen(function* () {
    while (waiting.length === 0 && !isOver) {
      const rows = yield* reading.rows([{ name: stream, after }], pageRows)
      after = rows.at(-1)?.seq ?? after
      isOver = rows.length < pageRows
      waiting = [...(yield* linesOf(rows, isOver))].toReversed()
    }
    return waiting.pop()
  })
}

const pageRows = 512
