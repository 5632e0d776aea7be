/** Message of a failed start, with the remedy. */
import { sentenceOf } from "@venue/postgres/DatabaseFault"
import { Cause, type Config } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { SettingRefused, SettingsRefused } from "./SettingRefused.ts"

/** Returns the reason: one line, or one line for each refused setting. */
export const linesOf = (cause: Cause.Cause<unknown>): ReadonlyArray<string> => {
  const error = Cause.squash(cause)
  return error instanceof SettingsRefused ? error.faults.map(({ message }) => message) : [messageOf(cause)]
}

/** Returns the reason in one line, or the error's tag if the error has no message. */
const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (isSqlError(error)) return sentenceOf(error)
  const { _tag, message } = error as { readonly _tag?: string; readonly message?: string }
  return message !== undefined && message !== "" ? message : (_tag ?? String(error))
}

/** Converts a Config library error to a refusal of the setting. */
export const refusalOf = ({ message }: Config.ConfigError) => {
  const [, fault = message, setting = "a setting"] = /^SchemaError\((.+)\n\s+at \["(\w+)"\]\)$/s.exec(message) ?? []
  const expected = setting.endsWith("_PORT")
    ? "a port, 1 to 65535"
    : fault.replace(/^Expected (string$)?/, (_, isMissing) =>
        isMissing ? "a value, because the setting has no default" : ""
      )
  return new SettingRefused({ setting, expected })
}
