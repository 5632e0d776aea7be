/** Initial values of running settings, from the environment of a process. */
import { definitions, type Field, fields } from "@venue/domain/RunningSettings"
import type { Texts } from "@venue/storage/settings/SettingValues"
import { type ConfigProvider, Effect, FileSystem, Redacted } from "effect"
import * as Setting from "./Setting.ts"
import { SettingRefused } from "./SettingRefused.ts"
import * as Variables from "./Variables.ts"

/** Returns the texts of the running settings that a program reads. For price sources: the contents of the file. */
export const of = Effect.fn("InitialSettings.of")(function* (
  program: Setting.Reader,
  environment: ConfigProvider.ConfigProvider
): Effect.fn.Return<Texts, SettingRefused, FileSystem.FileSystem> {
  const texts: { [F in Field]?: Redacted.Redacted } = {}
  for (const field of fields) {
    const { name } = definitions[field]
    const isRead = Setting.declared.some((setting) => setting.name === name && setting.readers.includes(program))
    const text = isRead ? yield* Variables.valueOf(environment, name) : undefined
    if (text === undefined) continue
    texts[field] = Redacted.make(field === "priceSources" ? yield* contentsOf(name, text) : text)
  }
  return texts
})

const contentsOf = (setting: string, path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path)).pipe(
    Effect.mapError(
      ({ message }) => new SettingRefused({ setting, expected: `a valid price source file (${path}: ${message})` })
    )
  )
