/** What one stream of the journal says of an account: lines in the order of its rows, read page by page. */
import type { Row } from "@venue/journal/Journal"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type * as Reading from "../auditor/Reading.ts"

export interface Line {
  readonly atMillis: number
  readonly stream: string
  readonly seq: number
  /** By its kind it is counted among others. */
  readonly kind: string
  /** In 1e-6 USD. */
  readonly amount: bigint
  readonly what: string
}

/** Something else says the same, or says otherwise. */
export interface Found {
  readonly what: string
  readonly difference?: string
}

export interface Lines {
  /** Undefined after the last. */
  readonly next: Effect.Effect<Line | undefined, SqlError>
  /** What was held against these rows, once there is no next line. */
  readonly found: () => ReadonlyArray<Found>
}

/** `linesOf` is told when a page is the last. */
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
