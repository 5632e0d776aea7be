/**
 * Runs a request for each item and continues after failures, so that one item never blocks the others. Failed items
 * run last in the next poll.
 */
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { RailUnavailable } from "@venue/providers/rails/RailProvider"
import { Effect } from "effect"

export interface Turns<A> {
  /** Returns whether the last request about an item failed. */
  readonly isDoubtful: (item: A) => boolean
  /** Runs the work for every item despite failures, then fails with the first one, so that the alarm stays raised. */
  readonly each: (
    items: ReadonlyArray<A>,
    work: (item: A) => Effect.Effect<void, DatabaseUnavailable | RailUnavailable>
  ) => Effect.Effect<void, DatabaseUnavailable | RailUnavailable>
}

/** `nameOf` returns a unique name, which also appears in the alarm. */
export const make = <A>(nameOf: (item: A) => string): Turns<A> => {
  /** Names of doubtful items, least recently tried first. */
  const doubtful = new Set<string>()
  const isDoubtful = (item: A) => doubtful.has(nameOf(item))

  const inTurn = (items: ReadonlyArray<A>): ReadonlyArray<A> => {
    const places = new Map([...doubtful].map((name, place) => [name, place]))
    const placeOf = (item: A) => places.get(nameOf(item)) ?? -1
    return items.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
  const doubt = (name: string) => {
    doubtful.delete(name)
    doubtful.add(name)
    const [oldest] = doubtful
    if (doubtful.size > maxRemembered) doubtful.delete(oldest!)
  }

  return {
    isDoubtful,
    each: Effect.fnUntraced(function* (items, work) {
      const failures: Array<RailUnavailable> = []
      const run = (item: A) =>
        work(item).pipe(
          Effect.andThen(Effect.sync(() => void doubtful.delete(nameOf(item)))),
          Effect.catchTag("RailUnavailable", ({ cause, rail }) =>
            Effect.sync(() => {
              doubt(nameOf(item))
              failures.push(new RailUnavailable({ rail, cause: `${nameOf(item)}: ${String(cause)}` }))
            })
          )
        )
      yield* Effect.forEach(
        inTurn(items),
        (item) => Effect.suspend(() => (failures.length < maxFailures ? run(item) : Effect.void)),
        { concurrency: 4, discard: true }
      )
      const [first] = failures
      if (first !== undefined) return yield* first
    })
  }
}

/** Number of failures that count as an outage. Further items are skipped, because each would wait for a deadline. */
const maxFailures = 8
const maxRemembered = 10_000
