/** Settings of the auditor: the database and the health URL, but none of the venue's secrets. */
import { Config, ConfigProvider, Effect, Schema } from "effect"
import { databaseUrl } from "../process/DatabaseSettings.ts"
import * as SecretFiles from "../process/SecretFiles.ts"
import * as Setting from "../process/Setting.ts"
import * as StartFailure from "../process/StartFailure.ts"

const port = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 65_535 }, { expected: "a port, or 0 for any free port" })
)

const own = Config.all({
  databaseUrl,
  /** 0 selects a free port, for an auditor on the venue's machine. */
  healthPort: Setting.decoded("VENUE_AUDITOR_HEALTH_PORT", Schema.NumberFromString.pipe(Schema.decodeTo(port)), {
    default: 4030,
    meaning: "Port of the auditor's `/health/live` and `/health/ready`; 0 selects a free port",
    readers: ["auditor"],
    changes: "process"
  }),
  healthHost: Setting.string("VENUE_AUDITOR_HEALTH_HOST", {
    default: "127.0.0.1",
    meaning: "Listening address of the auditor's health port",
    readers: ["auditor"],
    changes: "process"
  })
})

export const load = Effect.gen(function* () {
  const environment = yield* SecretFiles.environment
  return yield* own.pipe(Effect.provideService(ConfigProvider.ConfigProvider, environment))
}).pipe(Effect.catchTag("ConfigError", (error) => Effect.fail(StartFailure.refusalOf(error))))
