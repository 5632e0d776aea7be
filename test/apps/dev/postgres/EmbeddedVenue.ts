/** Program that runs the embedded server until it is stopped: `EmbeddedVenue.ts <data directory>`. */
import { NodeRuntime } from "@effect/platform-node"
import * as EmbeddedPostgres from "../../../../apps/dev/postgres/EmbeddedPostgres.ts"
import { Console, Effect, Redacted } from "effect"

const venue = Effect.gen(function* () {
  const { url } = yield* EmbeddedPostgres.start({
    dataDir: process.argv[2]!,
    log: (step) => Console.error(step),
    settings: { fsync: "off" }
  })
  yield* Console.log(Redacted.value(url))
  return yield* Effect.never
})

NodeRuntime.runMain(Effect.scoped(venue))
