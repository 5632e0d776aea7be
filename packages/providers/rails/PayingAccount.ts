/** The account that pays withdrawals: the one the wallet reports, or the last one it reported. */
import { Effect, Option } from "effect"
import type { RailUnavailable } from "./RailProvider.ts"

/** Returns the last reported account while the wallet is unavailable, or undefined before the first report. */
export const knownOr = <Account extends string>(
  reported: Effect.Effect<Account, RailUnavailable>,
  known: Account | undefined
): Effect.Effect<Account | undefined> =>
  reported.pipe(Effect.timeout(patience), Effect.option, Effect.map(Option.getOrElse(() => known)))

const patience = "1 second"
