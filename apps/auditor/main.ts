/** Starts the auditor of a venue. */
import * as Start from "../process/Start.ts"
import * as AuditorNode from "./AuditorNode.ts"

Start.run(AuditorNode.run, { firstLine: "" })
