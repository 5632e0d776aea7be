/** Lists what lies on the deposit addresses of TRON. */
import * as Start from "../process/Start.ts"
import * as Balances from "./Balances.ts"

Start.run(Balances.run(process.argv.slice(2)), { words: "" })
