/** Lists the nodes of a venue: `npm run status`. */
import * as Start from "../process/Start.ts"
import * as Status from "./Status.ts"

Start.run(Status.run, { firstLine: "", isTool: true })
