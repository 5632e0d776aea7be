/** Starts a venue's auditor. */
import * as Start from "../process/Start.ts"
import * as AuditorNode from "./AuditorNode.ts"

Start.run(AuditorNode.run(process.argv.slice(2)), { firstLine: "" })
