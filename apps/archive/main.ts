/** Archives old journal rows: `npm run archive`. */
import * as Start from "../process/Start.ts"
import * as ArchiveNode from "./ArchiveNode.ts"

Start.run(ArchiveNode.run(process.argv.slice(2)), { firstLine: "", isTool: true })
