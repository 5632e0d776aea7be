/** The second read of every difference that an audit found, in a later snapshot than the first. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Faults from "./Faults.ts"

/** Reads suspected places again; places beyond the limit stay suspected until the next audit. */
export const secondReads = (faults: Faults.Faults): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    let left = placesAtOnce
    // A second read that applies rows may add suspected places; this loop reaches them too.
    for (const [place, secondRead] of faults.suspected) {
      if (left-- === 0) return
      Faults.lookedAgain(faults, place, yield* secondRead)
    }
  })

const placesAtOnce = 100
