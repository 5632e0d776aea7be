/** Second reads: compares each difference again, in a later snapshot than the first. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Faults from "./Faults.ts"

/** Reads at most 100 suspected places again; the others stay suspected until the next audit. */
export const secondReads = (faults: Faults.Faults): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const read = new Set<string>()
    // A second read that applies rows may add suspected places; this loop reaches them too.
    for (const [place, { secondRead }] of faults.suspected) {
      if (read.size === placesAtOnce) return
      // A place that cannot be compared is suspected again, at the end of the list.
      if (read.has(place)) continue
      read.add(place)
      Faults.recordSecondRead(faults, place, yield* secondRead)
    }
  })

const placesAtOnce = 100
