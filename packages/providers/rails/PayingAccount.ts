/** The account that pays withdrawals, as last reported by the wallet. */
import { Effect, Option } from "effect"
import type { RailUnavailable } from "./RailProvider.ts"

/** Returns the reported account. While the wallet is unavailable, returns the last reported account, if any. */
export const knownOr = <Account extends string>(
  reported: Effect.Effect<Account, RailUnavailable>,
  known: Account | undefined
): Effect.Effect<Account | undefined> =>
  reported.pipe(Effect.timeout(patience), Effect.option, Effect.map(Option.getOrElse(() => known)))

const patience = "1 second"
