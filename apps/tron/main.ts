/** Lists the balances of the deposit addresses on TRON. */
import * as Start from "../process/Start.ts"
import * as Balances from "./Balances.ts"

Start.run(Balances.run(process.argv.slice(2)), { firstLine: "", isTool: true })
