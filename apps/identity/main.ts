/** Starts a simulated identity provider, for trials of identity verification. */
import * as Start from "../process/Start.ts"
import * as Identity from "./Identity.ts"

Start.run(Identity.run, { firstLine: "", isTool: true })
