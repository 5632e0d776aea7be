/** A process serves as long as its database is its own. */
import { DatabaseClaim } from "@venue/postgres/DatabaseClaim"
import { Effect } from "effect"
import * as ProcessEnd from "./ProcessEnd.ts"

/** What it had under way cannot be recorded any more, so that the stop is not to wait for it. */
export const whileClaimed = <A, E, R>(serving: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    serving,
    Effect.flatMap(DatabaseClaim, ({ lost }) =>
      Effect.tapError(lost, () => Effect.sync(() => ProcessEnd.boundTheStop(stopMillis)))
    )
  )

const stopMillis = 5_000
