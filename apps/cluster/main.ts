/** Starts a cluster on this machine, or sends a command to a running one: `npm run cluster`. */
import { Effect, Result } from "effect"
import * as Start from "../process/Start.ts"
import * as Cluster from "./Cluster.ts"
import * as ClusterCommand from "./ClusterCommand.ts"
import * as ClusterSettings from "./ClusterSettings.ts"
import * as ClusterStatus from "./ClusterStatus.ts"

const command = ClusterCommand.read(process.argv.slice(2))

Start.run(
  Effect.gen(function* () {
    const parsed = yield* Effect.fromResult(command)
    const settings = yield* ClusterSettings.load
    yield* parsed._tag === "Start" ? Cluster.run(settings) : ClusterStatus.answer(parsed, settings.venue)
  }),
  // Up to 30 s for the gateways, then time for the runners and the database.
  { stopMillis: 90_000, firstLine: Result.isSuccess(command) && command.success._tag === "Start" ? Start.starting : "" }
)
