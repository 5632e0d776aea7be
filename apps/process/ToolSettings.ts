/** Settings of a program that a person runs. Secrets can be in files. */
import { type Config, Effect } from "effect"
import * as SecretFiles from "./SecretFiles.ts"
import * as StartFailure from "./StartFailure.ts"

/** Returns the values of the declared settings, or refuses a missing or invalid one. */
export const read = Effect.fnUntraced(function* <A>(config: Config.Config<A>) {
  const environment = yield* SecretFiles.environment
  return yield* config.parse(environment).pipe(Effect.mapError(StartFailure.refusalOf))
})
