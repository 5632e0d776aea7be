/**
 * An odd answer about one holds up none of the others: each is asked by itself, and what nobody could tell of comes last at the
 * next look, there in the order in which it was asked.
 */
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { RailUnavailable } from "@venue/providers/rails/RailProvider"
import { Effect } from "effect"

export interface Turns<A> {
  /** Nobody could tell of it when it was last asked. */
  readonly isDoubtful: (one: A) => boolean
  /** Goes past those of which nobody can tell, and fails with the first of them at the end, so that the alarm stands. */
  readonly each: (
    all: ReadonlyArray<A>,
    work: (one: A) => Effect.Effect<void, DatabaseUnavailable | RailUnavailable>
  ) => Effect.Effect<void, DatabaseUnavailable | RailUnavailable>
}

/** `nameOf` tells them apart, and stands in the alarm. */
export const make = <A>(nameOf: (one: A) => string): Turns<A> => {
  /** The one that was asked longest ago comes first. */
  const doubtful = new Set<string>()
  const isDoubtful = (one: A) => doubtful.has(nameOf(one))

  const inTurn = (all: ReadonlyArray<A>): ReadonlyArray<A> => {
    const places = new Map([...doubtful].map((name, place) => [name, place]))
    const placeOf = (one: A) => places.get(nameOf(one)) ?? -1
    return all.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
  const doubt = (name: string) => {
    doubtful.delete(name)
    doubtful.add(name)
    const [longestAgo] = doubtful
    if (doubtful.size > mostRemembered) doubtful.delete(longestAgo!)
  }

  return {
    isDoubtful,
    each: Effect.fnUntraced(function* (all, work) {
      const failed: Array<RailUnavailable> = []
      const ask = (one: A) =>
        work(one).pipe(
          Effect.andThen(Effect.sync(() => void doubtful.delete(nameOf(one)))),
          Effect.catchTag("RailUnavailable", ({ cause, rail }) =>
            Effect.sync(() => {
              doubt(nameOf(one))
              failed.push(new RailUnavailable({ rail, cause: `${nameOf(one)}: ${String(cause)}` }))
            })
          )
        )
      yield* Effect.forEach(
        inTurn(all),
        (one) => Effect.suspend(() => (failed.length < mostFailures ? ask(one) : Effect.void)),
        { concurrency: 4, discard: true }
      )
      const [first] = failed
      if (first !== undefined) return yield* first
    })
  }
}

/** So many in one look are an outage, which each would wait for in turn: the rest has its turn at the next look. */
const mostFailures = 8
const mostRemembered = 10_000
