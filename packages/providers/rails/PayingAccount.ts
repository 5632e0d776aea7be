/** The account that pays withdrawals: reported by the wallet, or remembered. */
import { Effect, Option } from "effect"
import type { RailUnavailable } from "./RailProvider.ts"

/** Returns the remembered account while the wallet is unavailable; undefined before the first report. */
export const knownOr = <Account extends string>(
  reported: Effect.Effect<Account, RailUnavailable>,
  known: Account | undefined
): Effect.Effect<Account | undefined> =>
  reported.pipe(Effect.timeout(patience), Effect.option, Effect.map(Option.getOrElse(() => known)))

const patience = "1 second"
