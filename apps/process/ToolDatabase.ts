/** Database of a tool that a person runs. The tool needs no other setting. */
import { ConfigProvider, Effect } from "effect"
import { databaseUrl } from "./DatabaseSettings.ts"
import * as SecretFiles from "./SecretFiles.ts"
import * as StartFailure from "./StartFailure.ts"

/** Returns the URL of the configured database, and fails without one. */
export const url = Effect.gen(function* () {
  const environment = yield* SecretFiles.environment
  return yield* Effect.provideService(databaseUrl, ConfigProvider.ConfigProvider, environment)
}).pipe(Effect.catchTag("ConfigError", (error) => Effect.fail(StartFailure.refusalOf(error))))
