/** Settings of the database and of the data directory. */
import * as Setting from "./Setting.ts"

export const databaseUrl = Setting.secret("VENUE_DATABASE_URL", {
  usual: "embedded server; required by nodes",
  meaning: "URL of a Postgres database, version 14 or newer; the same on all nodes",
  readers: [...Setting.venue, "auditor", "explain", "migrate", "status"],
  requiredBy: ["runner", "gateway", "auditor", "migrate", "status"],
  changes: "process"
})

export const dataDir = Setting.string("VENUE_DATA_DIR", {
  default: ".venue",
  meaning: "Directory of the embedded database, the secrets and `dev.json`",
  readers: ["start", "cluster", "explain"],
  changes: "process"
})
