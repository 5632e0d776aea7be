/** The auditor of a venue. */
import * as Start from "../node/Start.ts"
import * as AuditorNode from "./AuditorNode.ts"

Start.run(AuditorNode.run, { words: "" })
