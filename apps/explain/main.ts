/** Explains an account's balance: `npm run explain`. */
import * as Start from "../process/Start.ts"
import * as Explain from "./Explain.ts"

Start.run(Explain.run(process.argv.slice(2)), { firstLine: "", isTool: true })
