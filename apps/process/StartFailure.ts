/** What ended a start, in words that say what would help. */
import { reasonOf } from "@venue/postgres/DatabaseOutage"
import { Cause, type Config } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { SettingRefused } from "./SettingRefused.ts"

/** What ended the start, in one line; whatever has no words of its own is told by its name. */
export const said = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (isSqlError(error))
    return `the database cannot be used (${reasonOf(error)}); start it, or set VENUE_DATABASE_URL to one that runs`
  const { _tag, message } = error as { readonly _tag?: string; readonly message?: string }
  return message !== undefined && message !== "" ? message : (_tag ?? String(error))
}

/** What the library says of a setting, as the venue says what no type does. */
export const refusalOf = ({ message }: Config.ConfigError) => {
  const [, fault = message, setting = "a setting"] = /^SchemaError\((.+)\n\s+at \["(\w+)"\]\)$/s.exec(message) ?? []
  const expected = setting.endsWith("_PORT")
    ? "a port, 1 to 65535"
    : fault.replace(/^Expected (string$)?/, (_, isMissing) => (isMissing ? "a value, as it has no default" : ""))
  return new SettingRefused({ setting, expected })
}
