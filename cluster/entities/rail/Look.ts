/** One poll of a rail, which performs every due action for deposits and withdrawals. */
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { RailProvider, RailUnavailable } from "@venue/providers/rails/RailProvider"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { Effect } from "effect"
import * as Arrivals from "./Arrivals.ts"
import * as Crediting from "./Crediting.ts"
import * as Paying from "./Paying.ts"

/** Returns an effect that polls once and returns whether both the database and the rail responded. */
export const make = Effect.fnUntraced(function* (provider: RailProvider) {
  const { rail } = provider
  const states = yield* RailStates
  const arrivals = yield* Arrivals.make(provider)
  const credits = yield* Crediting.make(provider)
  const { outcomes, queue, returns } = yield* Paying.make(provider)

  const part = (work: Effect.Effect<void, DatabaseUnavailable | RailUnavailable>): Effect.Effect<boolean> =>
    work.pipe(
      Effect.as(true),
      Effect.catchTags({
        // The next poll repeats this part.
        DatabaseUnavailable: () => Effect.succeed(false),
        RailUnavailable: (unavailable) =>
          Effect.as(
            Effect.ignore(states.unavailable(rail, { _tag: "Unreachable", text: String(unavailable.cause) })),
            false
          )
      }),
      // A defect in one part must not stop the others.
      Effect.catchDefect((defect) => Effect.as(Effect.logError(`a poll of rail ${rail} failed`, defect), false))
    )
  return Effect.gen(function* () {
    const done = [
      yield* part(returns),
      yield* part(outcomes),
      yield* part(queue),
      yield* part(credits),
      yield* part(arrivals)
    ]
    // A failed part keeps its alarm until all parts succeed.
    if (!done.every((isDone) => isDone)) return false
    const stall = yield* provider.stalled ?? Effect.succeed(undefined)
    return yield* part(stall === undefined ? states.answers(rail) : states.unavailable(rail, stall))
  })
})
