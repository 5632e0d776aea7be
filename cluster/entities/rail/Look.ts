/** One look at all that may be due on a rail. */
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { RailProvider, RailUnavailable } from "@venue/providers/rails/RailProvider"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { Effect } from "effect"
import * as Arrivals from "./Arrivals.ts"
import * as Crediting from "./Crediting.ts"
import * as Paying from "./Paying.ts"

/** Answers whether the database and the outside could be reached. */
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
        // The next look finds the same to do.
        DatabaseUnavailable: () => Effect.succeed(false),
        RailUnavailable: (unavailable) =>
          Effect.as(
            Effect.ignore(states.unavailable(rail, { _tag: "Unreachable", text: String(unavailable.cause) })),
            false
          )
      }),
      // A fault of ours in one part does not keep the others from being done.
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError(`a look at rail ${rail} ended in a fault`, defect), false)
      )
    )
  return Effect.gen(function* () {
    const done = [
      yield* part(returns),
      yield* part(outcomes),
      yield* part(queue),
      yield* part(credits),
      yield* part(arrivals)
    ]
    // Whatever of it fails is an alarm until it works again.
    if (!done.every((isDone) => isDone)) return false
    const stall = yield* provider.stalled ?? Effect.succeed(undefined)
    return yield* part(stall === undefined ? states.answers(rail) : states.unavailable(rail, stall))
  })
})
