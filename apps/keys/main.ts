/** Makes the keys of a venue as files: `npm run keys`. */
import * as Start from "../process/Start.ts"
import * as Keys from "./Keys.ts"

Start.run(Keys.run(process.argv.slice(2)), { firstLine: "", isTool: true })
