/** Starts a venue's wallet. */
import * as Start from "../process/Start.ts"
import * as Wallet from "./Wallet.ts"

Start.run(Wallet.run(process.argv.slice(2)), { firstLine: "" })
