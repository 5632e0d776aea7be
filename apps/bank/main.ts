/** The simulated bank, for whoever wants to try a venue's bank rail without a bank. */
import * as Start from "../process/Start.ts"
import * as Bank from "./Bank.ts"

Start.run(Bank.run, { words: "" })
