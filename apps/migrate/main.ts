/** Prepares the tables for this release and exits: `npm run migrate`. */
import * as Start from "../process/Start.ts"
import * as Migrate from "./Migrate.ts"

Start.run(Migrate.run, { firstLine: "", isTool: true })
