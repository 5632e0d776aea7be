/** Settings of the database and of the data directory. */
import { Config } from "effect"
import * as Setting from "./Setting.ts"

export const databaseUrl = Setting.secret("VENUE_DATABASE_URL", {
  usual: "embedded server; required by nodes",
  meaning:
    "URL of a Postgres database, version 14 or newer, with `sslmode` and several servers for failover; the same on all nodes",
  readers: [...Setting.venue, "auditor", "explain", "archive", "init", "migrate", "rekey", "status"],
  requiredBy: ["runner", "gateway", "auditor", "archive", "status"],
  changes: "process"
})

export const archiveDir = Setting.string("VENUE_ARCHIVE_DIR", {
  default: "",
  meaning: "Directory of archived journal rows; the auditor and `explain` read them there",
  readers: ["auditor", "explain", "archive"],
  changes: "process"
})

const role = (name: string, value: string, meaning: string) =>
  Setting.string(name, { default: value, meaning, readers: ["database-roles"], changes: "process" })

/** URL of the owner of the tables. */
export const migrationDatabaseUrl = Setting.secret("VENUE_MIGRATION_DATABASE_URL", {
  usual: "`VENUE_DATABASE_URL`; required by database-roles",
  meaning:
    "URL of the database with the role that owns the tables, for the [owner's tools](operators.md#database-roles)",
  readers: ["database-roles", "init", "migrate", "rekey"],
  requiredBy: ["database-roles"],
  changes: "process"
})

/** URL for the tools of the owner. Without roles of their own, nodes connect as the owner too. */
export const ownerDatabaseUrl = Config.orElse(migrationDatabaseUrl, () => databaseUrl)

export const roles = {
  app: role("VENUE_DATABASE_APP_ROLE", "venue_app", "Database role of runners and gateways"),
  auditor: role("VENUE_DATABASE_AUDITOR_ROLE", "venue_auditor", "Database role of the auditor"),
  reader: role("VENUE_DATABASE_READER_ROLE", "venue_reader", "Read-only database role of `explain` and of people")
}

export const dataDir = Setting.string("VENUE_DATA_DIR", {
  default: ".venue",
  meaning: "Directory of the embedded database, the secrets and `dev.json`",
  readers: ["start", "cluster", "explain"],
  changes: "process"
})
