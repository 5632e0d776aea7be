/** The settings of the auditor: it needs the database, and none of the venue's secrets. */
import { Config, ConfigProvider, Effect, Schema } from "effect"
import * as SecretFiles from "../process/SecretFiles.ts"
import * as StartFailure from "../process/StartFailure.ts"

const port = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 65_535 }, { expected: "a port, or 0 for a free one" })
)

const own = Config.all({
  databaseUrl: Config.Redacted("VENUE_DATABASE_URL"),
  /** 0 is one that is free, as beside a venue on this machine. */
  healthPort: Config.schema(Schema.NumberFromString.pipe(Schema.decodeTo(port)), "VENUE_AUDITOR_HEALTH_PORT").pipe(
    Config.withDefault(4030)
  ),
  healthHost: Config.String("VENUE_AUDITOR_HEALTH_HOST").pipe(Config.withDefault("127.0.0.1"))
})

export const load = Effect.gen(function* () {
  const environment = yield* SecretFiles.environment
  return yield* own.pipe(Effect.provideService(ConfigProvider.ConfigProvider, environment))
}).pipe(Effect.catchTag("ConfigError", (error) => Effect.fail(StartFailure.refusalOf(error))))
