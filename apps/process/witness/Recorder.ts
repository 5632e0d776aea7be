/** Rows and restrictions that this process has seen and the witness has not stored yet. */
import type * as WitnessLine from "@venue/journal/witness/WitnessLine"
import { witnessedOf } from "@venue/journal/witness/Witness"
import type { Row } from "@venue/journal/Journal"
import { Context, Effect } from "effect"

export interface RecorderShape {
  /**
   * Remembers a committed row, unless a row with a higher number is remembered. Runs on the order path, so it hashes
   * nothing.
   */
  readonly row: (row: Row) => void
  /** Remembers that the restrictions of a user or key may have changed. */
  readonly changed: (kind: "user" | "key", subject: string) => void
  /** Returns and forgets the newest row of each stream, hashed in small groups. */
  readonly takeRows: Effect.Effect<ReadonlyArray<WitnessLine.Entry>>
  /** Returns and forgets the users and keys that may have changed. */
  readonly takeChanged: () => ReadonlyArray<readonly ["user" | "key", string]>
}

export class Recorder extends Context.Service<Recorder, RecorderShape>()("@venue/apps/process/witness/Recorder") {}

export const make = (): RecorderShape => {
  let rows = new Map<string, Row>()
  let changed = new Map<string, readonly ["user" | "key", string]>()
  return {
    row: (row) => {
      if ((rows.get(row.stream)?.seq ?? 0) < row.seq) rows.set(row.stream, row)
    },
    changed: (kind, subject) => void changed.set(`${kind} ${subject}`, [kind, subject]),
    takeRows: Effect.gen(function* () {
      const taken = [...rows.values()]
      rows = new Map()
      const entries: Array<WitnessLine.Entry> = []
      for (let start = 0; start < taken.length; start += hashedAtOnce) {
        for (const row of taken.slice(start, start + hashedAtOnce)) entries.push({ _tag: "Row", row: witnessedOf(row) })
        yield* turn
      }
      return entries
    }),
    takeChanged: () => {
      const taken = [...changed.values()]
      changed = new Map()
      return taken
    }
  }
}

/** Number of rows that are hashed in one turn of the event loop, in about half a millisecond. */
const hashedAtOnce = 256

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})
