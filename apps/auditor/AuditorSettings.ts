/** Settings of the auditor: the database and the health URL, but none of the venue's secrets. */
import { Config, Effect } from "effect"
import { archiveDir, databaseUrl } from "../process/DatabaseSettings.ts"
import * as GivenSettings from "../process/GivenSettings.ts"
import { expect, type SettingRefused } from "../process/SettingRefused.ts"
import * as Setting from "../process/Setting.ts"

const own = Config.all({
  databaseUrl,
  archiveDir,
  isFull: Setting.onOff("VENUE_AUDIT_FULL", {
    default: "off",
    meaning: "`on` makes the auditor read the whole journal at its start, even with a usable checkpoint",
    readers: ["auditor"],
    changes: "process"
  }),
  fullPassDays: Setting.int("VENUE_AUDIT_FULL_DAYS", {
    default: 7,
    unit: "d",
    meaning: "Interval at which the auditor reads the whole journal again, in addition to its audits; 1 to 365 days",
    readers: ["auditor"],
    changes: "process"
  }),
  /** 0 selects a free port, for an auditor on the venue's machine. */
  healthPort: Setting.portOrAny("VENUE_AUDITOR_HEALTH_PORT", {
    default: 4030,
    meaning: "Port of the auditor's `/health/live`, `/health/ready` and `/metrics`; 0 selects a free port",
    readers: ["auditor"],
    changes: "process"
  }),
  healthHost: Setting.string("VENUE_AUDITOR_HEALTH_HOST", {
    default: "127.0.0.1",
    meaning: "Listening address of the auditor's health port",
    readers: ["auditor"],
    changes: "process"
  })
})

export const parse: Effect.Effect<Config.Success<typeof own>, Config.ConfigError | SettingRefused> = Effect.tap(
  own,
  ({ fullPassDays }) => expect("VENUE_AUDIT_FULL_DAYS", fullPassDays >= 1 && fullPassDays <= 365, "1 to 365")
)

export const load = GivenSettings.loaded("auditor", parse)
