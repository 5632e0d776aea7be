/** Starts a simulated bank, for trying the bank rail of a venue. */
import * as Start from "../process/Start.ts"
import * as Bank from "./Bank.ts"

Start.run(Bank.run, { words: "" })
