/** Creates a venue in an empty database: `npm run init`. */
import * as Start from "../process/Start.ts"
import * as Init from "./Init.ts"

Start.run(Init.run, { firstLine: "", isTool: true })
