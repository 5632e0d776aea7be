/** Second reads, which compare each difference again in a later snapshot. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Faults from "./Faults.ts"

/** Compares at most 100 suspected places again. Other places stay suspected until the next audit. */
export const secondReads = (faults: Faults.Faults): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const read = new Set<string>()
    // A second read that applies rows might add suspected places. This loop reaches those places too.
    for (const [place, { secondRead }] of faults.suspected) {
      if (read.size === placesAtOnce) return
      // A place that cannot be compared is suspected again, at the end of the list.
      if (read.has(place)) continue
      read.add(place)
      Faults.recordSecondRead(faults, place, yield* secondRead)
    }
  })

const placesAtOnce = 100
