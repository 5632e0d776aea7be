/** Starts a simulated bank, for trials of the bank rail. */
import * as Start from "../process/Start.ts"
import * as Bank from "./Bank.ts"

Start.run(Bank.run, { firstLine: "", isTool: true })
