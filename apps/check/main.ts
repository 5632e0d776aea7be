/** Checks settings without starting a process. */
import * as Start from "../process/Start.ts"
import * as CheckSettings from "./CheckSettings.ts"

Start.run(CheckSettings.run(process.argv.slice(2)), { firstLine: "", isTool: true })
