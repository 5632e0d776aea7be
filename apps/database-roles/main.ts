/** Prepares the tables, and gives the database roles of nodes, auditor and readers their rights. */
import * as Start from "../process/Start.ts"
import * as Granting from "./Granting.ts"

Start.run(Granting.run(process.argv.slice(2)), { firstLine: "", isTool: true })
