/** Seals all stored secrets under a new secret key: `npm run rekey`. */
import * as Start from "../process/Start.ts"
import * as Rekey from "./Rekey.ts"

Start.run(Rekey.run, { firstLine: "", isTool: true })
