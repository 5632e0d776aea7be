/** Stops a process that loses its claim on the database. */
import { DatabaseClaim } from "@venue/postgres/DatabaseClaim"
import { Effect } from "effect"
import * as ProcessEnd from "./ProcessEnd.ts"

/**
 * Serves until the claim on the database is lost. In-flight work can no longer be recorded then, so the stop takes at
 * most 5 s.
 */
export const whileClaimed = <A, E, R>(serving: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    serving,
    Effect.flatMap(DatabaseClaim, ({ lost }) =>
      Effect.tapError(lost, () => Effect.sync(() => ProcessEnd.boundTheStop(stopMillis)))
    )
  )

const stopMillis = 5_000
