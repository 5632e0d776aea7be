/** Setting of the witness. */
import { Config } from "effect"
import * as Setting from "../Setting.ts"

export const witnessDir = Config.option(
  Setting.string("VENUE_WITNESS_DIR", {
    usual: "none (in the data directory with `npm start` and `npm run cluster`)",
    meaning:
      "Directory outside the database for the [witness](restore.md) of this process; each process needs its own, on a disk that stays",
    readers: ["runner", "gateway", "wallet"],
    changes: "process"
  })
)
