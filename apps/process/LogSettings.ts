/** Settings of the log output. */
import { Config, Option } from "effect"
import * as Setting from "./Setting.ts"
import { shared } from "./Settings.ts"

export const formats = ["text", "json"] as const

export const levels = ["debug", "info", "warn", "error"] as const

/** Format and minimum level of the log. */
export const load = Config.map(
  Config.all({
    environment: shared.environment,
    format: Config.option(
      Setting.literals("VENUE_LOG_FORMAT", formats, {
        usual: "`text` in development, else `json`",
        meaning: "`json`: one JSON object per line; `text`: human-readable lines",
        readers: Setting.services,
        changes: "process"
      })
    ),
    level: Setting.literals("VENUE_LOG_LEVEL", levels, {
      default: "warn",
      meaning: "Least severe level that is logged: `debug`, `info`, `warn` or `error`",
      readers: Setting.services,
      changes: "process"
    })
  }),
  ({ environment, format, level }) => ({
    format: Option.getOrElse(format, () => (environment === "development" ? ("text" as const) : ("json" as const))),
    level
  })
)
