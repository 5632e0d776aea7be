/** The account that pays withdrawals, as whoever holds its keys tells it, or as it was known. */
import { Effect, Option } from "effect"
import type { RailUnavailable } from "./RailProvider.ts"

/** A wallet that is away holds nothing up; undefined where it was never heard of. */
export const knownOr = <Account extends string>(
  told: Effect.Effect<Account, RailUnavailable>,
  known: Account | undefined
): Effect.Effect<Account | undefined> =>
  told.pipe(Effect.timeout(patience), Effect.option, Effect.map(Option.getOrElse(() => known)))

const patience = "1 second"
