/** Settings outside the table, as operators see them. */
import type { SettingCatalogue } from "@venue/gateway/admin/Settings"
import { type Context, Effect, Redacted } from "effect"
import * as Agreed from "./Agreed.ts"
import * as SecretFiles from "./SecretFiles.ts"
import * as Setting from "./Setting.ts"
import * as Variables from "./Variables.ts"

type Entries = Context.Service.Shape<typeof SettingCatalogue>

const classes: Readonly<Record<Setting.Change, Entries[number]["class"]>> = {
  never: "first-start",
  "all nodes": "equal",
  "all runners": "equal",
  "all gateways": "equal",
  replaced: "process",
  "replaced on all nodes": "process",
  process: "process",
  running: "running"
}

/** Returns the settings that a gateway reads, with their values in this process's environment. */
export const ofGateway = Effect.gen(function* () {
  const { provider } = yield* SecretFiles.read
  return yield* Effect.forEach(Setting.declared.filter(isOfGateway), (setting) =>
    Effect.map(Variables.valueOf(provider, setting.name), (text) => entryOf(setting, text))
  )
})

const isOfGateway = ({ changes, readers }: Setting.Declared): boolean =>
  changes !== "running" && readers.includes("gateway")

const entryOf = ({ changes, isSecret, name, usual }: Setting.Declared, text: string | undefined): Entries[number] => {
  const value = text ?? (usual === "none" ? "" : usual)
  return {
    name,
    class: classes[changes],
    source: text === undefined ? "default" : "environment",
    value: isSecret ? null : value,
    is_secret: isSecret,
    is_set: isSecret ? text !== undefined : value !== "",
    fingerprint: isSecret && text !== undefined ? Agreed.markOf(Redacted.make(text)) : null
  }
}
