/** Many processes on this machine, and who keeps them running: `npm run cluster`. */
import { Effect, Result } from "effect"
import * as Start from "../process/Start.ts"
import * as Cluster from "./Cluster.ts"
import * as ClusterCommand from "./ClusterCommand.ts"
import * as ClusterSettings from "./ClusterSettings.ts"
import * as ClusterStatus from "./ClusterStatus.ts"

const command = ClusterCommand.read(process.argv.slice(2))

Start.run(
  Effect.gen(function* () {
    const asked = yield* Effect.fromResult(command)
    const settings = yield* ClusterSettings.load
    yield* asked._tag === "Start" ? Cluster.run(settings) : ClusterStatus.answer(asked, settings.venue)
  }),
  // Its gateways have 30 s to stop, then its runners, then the database.
  { stopMillis: 90_000, words: Result.isSuccess(command) && command.success._tag === "Start" ? Start.starting : "" }
)
