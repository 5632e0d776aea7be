/** Starts the whole venue in one process: `npm start`. */
import { Effect } from "effect"
import * as Start from "../process/Start.ts"
import * as StartFailure from "../process/StartFailure.ts"
import * as Dev from "./Dev.ts"
import { Settings } from "./Settings.ts"

Start.run(Effect.flatMap(Effect.mapError(Settings, StartFailure.refusalOf), Dev.run))
