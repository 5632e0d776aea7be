/** Prints how the balance of an account came about. */
import * as Start from "../process/Start.ts"
import * as Explain from "./Explain.ts"

Start.run(Explain.run(process.argv.slice(2)), { words: "" })
